"""The witness of a simulation: what the hands meant beside what the station announced, and how the two compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.position import Move
from station import announcements as say
from station.effects import Announce, Effect, Show
from station.phases import Answering
from station.simulation.turns import Act, Aim
from station.state import Session

MISSED_MS = 3000
"""A move that is not in the record this long after the last contact counts as missed."""


@dataclass(frozen=True, slots=True)
class GameReport:
    """How the record of one game compares with what the hands did."""

    moves: int
    equal: bool
    wrong: int
    """Moves in the record at the end that were not made."""
    wrong_seen: int
    """Moves ever announced that were not made."""
    withdrawn: int
    """Moves announced and then changed or taken back without the hands having done so."""
    withdrawn_shown: int
    """Of these, the moves whose reply had already been shown."""
    missed: int
    needless_prompts: int
    """Prompts in turns in which nothing was done that belongs to no move."""
    latencies_ms: tuple[int, ...]
    """From the last contact to the record, of each move that is right."""


@dataclass(slots=True)
class Witness:
    """What the hands meant, and what was announced, side by side. Plies count from 1."""

    intended: Sequence[Move]
    performed: list[Act] = field(default_factory=list)
    """The acts whose moves count, one a ply."""
    record: list[tuple[Move, int]] = field(default_factory=list)
    wrong_seen: int = 0
    withdrawn: int = 0
    withdrawn_shown: int = 0
    needless_prompts: int = 0
    shown_ply: int = 0
    """The ply whose reply has been shown; 0 for none."""
    troubled: bool = False
    """Whether something is going on that belongs to no move."""
    regretted: dict[int, Move] = field(default_factory=dict)
    """Moves made and taken back, by ply."""

    def begins(self, act: Act) -> None:
        """The hands begin an act."""
        self.troubled = act.troubled
        if act.aim is Aim.MOVE:
            self.performed.append(act)
        else:
            self.regretted[len(self.performed) + 1] = act.move
            self.troubled |= act.aim is Aim.UNDONE

    def hear(self, effects: Sequence[Effect], session: Session, at_ms: int) -> None:
        """Take note of what a session asked for; `session` is the one after it."""
        moves = session.game.moves
        for effect in effects:
            match effect:
                case Show(cues=cues):
                    self._shown(session, at_ms, bool(cues))
                case Announce(what=say.Moved(ply=ply)):
                    self.recorded(ply, moves[ply - 1], at_ms)
                case Announce(what=say.Revised(ply=ply)):
                    self.revised(ply, moves[ply - 1], at_ms)
                case Announce(what=say.TakenBack(plies=plies)):
                    self.taken_back(plies)
                case Announce(what=say.Prompted(prompt="which" | "ready" | "weak" | "dead")):
                    pass  # moves that look alike have to be asked for
                case Announce(what=say.Illegal() | say.BoardDiffers() | say.Prompted()):
                    self.needless_prompts += not self.troubled

    def recorded(self, ply: int, move: Move, at_ms: int) -> None:
        """A move has come into the record."""
        del self.record[ply - 1 :]
        self.record.append((move, at_ms))
        self.wrong_seen += not self._was_made(ply, move)

    def revised(self, ply: int, move: Move, at_ms: int) -> None:
        """The last move in the record has been replaced."""
        self._withdraw(ply)
        self.recorded(ply, move, at_ms)

    def taken_back(self, plies: int) -> None:
        """The last moves have gone from the record."""
        for ply in range(len(self.record), len(self.record) - plies, -1):
            self._withdraw(ply)
        del self.record[len(self.record) - plies :]

    def report(self) -> GameReport:
        """The comparison, once the hands are off."""
        right = [
            at_ms - performed.last_contact_ms
            for (move, at_ms), meant, performed in zip(self.record, self.intended, self.performed, strict=False)
            if move.effect == meant.effect
        ]
        effects = [move.effect for move, _ in self.record]
        late = sum(1 for latency in right if latency > MISSED_MS)
        return GameReport(
            moves=len(self.performed),
            equal=effects == [move.effect for move in self.intended],
            wrong=len(self.record) - len(right),
            wrong_seen=self.wrong_seen,
            withdrawn=self.withdrawn,
            withdrawn_shown=self.withdrawn_shown,
            missed=late + len(self.performed) - len(right),
            needless_prompts=self.needless_prompts,
            latencies_ms=tuple(max(0, latency) for latency in right),
        )

    def _shown(self, session: Session, at_ms: int, lit: bool) -> None:
        phase = session.phase
        if lit and isinstance(phase, Answering) and phase.shown_ms <= at_ms:
            self.shown_ply = session.game.ply

    def _was_made(self, ply: int, move: Move) -> bool:
        meant = self.intended[ply - 1 : ply]
        made = (*meant, *([self.regretted[ply]] if ply in self.regretted else ()))
        return any(move.effect == one.effect for one in made)

    def _withdraw(self, ply: int) -> None:
        """Counts a withdrawal, unless the hands took this move back themselves."""
        move, _ = self.record[ply - 1]
        regretted = self.regretted.get(ply)
        if regretted is not None and regretted.effect == move.effect:
            return
        self.withdrawn += 1
        self.withdrawn_shown += self.shown_ply == ply
        self.shown_ply = 0
