"""The loop: one thread owns all sessions; takes an event, steps, journals, and hands the effects to the workers."""

from __future__ import annotations

import queue
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from station.effects import Effect
from station.events import Event, Requested, StopTold, TimePassed
from station.runtime.clock import Clock
from station.runtime.desk import Desk
from station.session import deadline_ms
from station.state import Session


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one event led to at one board."""

    board: str
    session: Session
    event: Event
    effects: tuple[Effect, ...]
    saved: bool = True
    """Whether the journal has it on the disk: what is announced may not leave the house before."""


class Worker(Protocol):
    """A part of the shell that carries out effects; it takes them into a mailbox and returns at once."""

    def hear(self, outcome: Outcome) -> None:
        """Take what concerns this worker."""
        ...


@dataclass(frozen=True, slots=True)
class _Newcomer:
    """A worker that joins while the loop runs."""

    worker: Worker


Addressed = tuple[str, Event]
_Probe = threading.Event
"""Set by the loop when its turn comes."""


class Brake(Protocol):
    """What makes an arm stand still."""

    def __call__(self, is_pressed: bool | None = None) -> None:
        """Stand still at once; what the stop says, when it has something to say."""
        ...


class Loop:
    """Runs the sessions of all boards in one thread."""

    def __init__(self, desks: Mapping[str, Desk], clock: Clock) -> None:
        self._desks = dict(desks)
        self._due_ms = {board: deadline_ms(desk.session) for board, desk in desks.items()}
        """When each board's session wants to hear that time has passed."""
        self._clock = clock
        self._inbox: queue.SimpleQueue[Addressed | _Probe | _Newcomer | None] = queue.SimpleQueue()
        self._workers: Sequence[Worker] = ()
        self._thread = threading.Thread(target=self._run, name="loop", daemon=True)
        self.failure: BaseException | None = None
        self.brakes: dict[str, Brake] = {}
        """What makes a board's arm stand still, told whether the stop is pressed (None: it was asked for)."""

    @property
    def clock(self) -> Clock:
        """The station's clock."""
        return self._clock

    def post(self, board: str, event: Event) -> None:
        """Leave an event for a board; from any thread. What stops an arm reaches it at once, before all that waits."""
        brake = self.brakes.get(board)
        if brake is not None and isinstance(event, StopTold):
            brake(event.is_pressed)
        elif brake is not None and isinstance(event, Requested) and event.name == "halt":
            brake(None)
        self._inbox.put((board, event))

    def answers(self, within_s: float) -> bool:
        """Whether the loop comes to what is posted now within so long; from any other thread."""
        probe = _Probe()
        self._inbox.put(probe)
        return probe.wait(within_s)

    def start(self, workers: Sequence[Worker]) -> None:
        """Begin to run; the workers hear of every board's first state at once."""
        self._workers = workers
        self._thread.start()

    def join(self, worker: Worker) -> None:
        """Have another worker hear from now on, of every board's present state first; from any thread."""
        self._inbox.put(_Newcomer(worker))

    def stop(self) -> None:
        """Finish what has arrived, then end; journals are closed."""
        if self._thread.ident is None:
            self._close()
            return
        self._inbox.put(None)
        self._thread.join(timeout=5)

    def _run(self) -> None:
        try:
            for board in self._desks:
                self._handle(board, TimePassed(self._clock.now_ms()))
            while self._once():
                pass
        except BaseException as failure:
            self.failure = failure
            raise
        finally:
            self._close()

    def _close(self) -> None:
        for desk in self._desks.values():
            if desk.journal is not None:
                desk.journal.close()

    def _once(self) -> bool:
        now_ms = self._clock.now_ms()
        late = [board for board, moment in self._due_ms.items() if moment is not None and moment <= now_ms]
        for board in late:
            self._handle(board, TimePassed(now_ms))
        if late:
            return True
        moments = [moment for moment in self._due_ms.values() if moment is not None]
        wait_s = (min(moments) - now_ms) / 1000 if moments else None
        try:
            addressed = self._inbox.get(timeout=wait_s)
        except queue.Empty:
            return True
        if addressed is None:
            return False
        if isinstance(addressed, _Probe):
            addressed.set()
        elif isinstance(addressed, _Newcomer):
            self._welcome(addressed.worker)
        else:
            self._handle(*addressed)
        return True

    def _welcome(self, worker: Worker) -> None:
        now = TimePassed(self._clock.now_ms())
        for board, desk in self._desks.items():
            worker.hear(Outcome(board, desk.session, now, (), desk.is_saved))
        self._workers = (*self._workers, worker)

    def _handle(self, board: str, event: Event) -> None:
        desk = self._desks[board]
        effects = desk.handle(event)
        self._due_ms[board] = deadline_ms(desk.session)
        outcome = Outcome(board, desk.session, event, effects, desk.is_saved)
        for worker in self._workers:
            worker.hear(outcome)
