"""The voice: a program such as espeak-ng that reads sentences aloud, one at a time, the newest guidance only."""

from __future__ import annotations

import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Sequence

from station.runtime.loop import Outcome
from station.speech import said_of_guidance, said_of_moves

REST_S = 0.7
"""For so long guidance has to stand before it is said: what a hand has put right by then is not spoken of."""
LONGEST_S = 30.0
"""A program that takes longer for one sentence is ended."""
MOST_WAITING = 4
"""Of more moves than these only the newest are said: nobody wants to hear of a game long gone on."""


class VoiceWorker:
    """Says what is said at some boards; where no voice is, it says so once on the log, and the game goes on."""

    def __init__(self, command: str, boards: Sequence[str]) -> None:
        self._command, self._boards = command, frozenset(boards)
        self._moves: list[tuple[str, str]] = []
        self._guidance: dict[str, tuple[float, str, str]] = {}
        self._last: dict[str, str] = {}
        self._is_mute = self._is_ending = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="voice", daemon=True)

    def start(self) -> None:
        """Begin to speak."""
        self._thread.start()

    def stop(self) -> None:
        """Say no more; what is being said ends by itself."""
        with self._changed:
            self._is_ending = True
            self._changed.notify()
        if self._thread.ident is not None:
            self._thread.join(timeout=1)

    def hear(self, outcome: Outcome) -> None:
        """Take what is to be said."""
        if outcome.board not in self._boards:
            return
        language = outcome.session.texts.language
        moves = said_of_moves(outcome.session, outcome.effects)
        guidance = said_of_guidance(outcome.session)
        with self._changed:
            self._moves = [*self._moves, *((language, move) for move in moves)][-MOST_WAITING:]
            if guidance != self._last.get(outcome.board, ""):
                self._last[outcome.board] = guidance
                self._guidance[outcome.board] = (time.monotonic() + REST_S, language, guidance)
            self._changed.notify()

    def _run(self) -> None:
        while (sentence := self._next()) is not None:
            self._say(*sentence)

    def _next(self) -> tuple[str, str] | None:
        with self._changed:
            while not self._is_ending:
                if self._moves:
                    return self._moves.pop(0)
                now = time.monotonic()
                for board, (due, language, guidance) in list(self._guidance.items()):
                    if due <= now:
                        del self._guidance[board]
                        if guidance:
                            return language, guidance
                self._changed.wait(min((due - now for due, _, _ in self._guidance.values()), default=None))
        return None

    def _say(self, language: str, sentence: str) -> None:
        command = [part.replace("{language}", language) for part in shlex.split(self._command)]
        try:
            ran = subprocess.run(
                command, input=f"{sentence}\n".encode(), capture_output=True, timeout=LONGEST_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            self._complain(str(error))
            return
        if ran.returncode:
            self._complain(ran.stderr.decode(errors="replace").strip()[:200] or f"it ended with {ran.returncode}")
        else:
            self._is_mute = False

    def _complain(self, reason: str) -> None:
        if not self._is_mute:
            print(f"dambord: nothing is said aloud: {self._command}: {reason}", file=sys.stderr)
        self._is_mute = True
