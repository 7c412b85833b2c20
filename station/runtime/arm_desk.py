"""Arms shown their boards from the page: the stages of `station.arm_lesson`, one request after the other.

The station's own worker lets go of the port meanwhile, and the session has no arm. Another worker serves the port,
through the same gate; whatever stops an arm reaches it as it reaches the first.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from firmware_bridge.manipulations import Act
from firmware_bridge.touched import CalibrationError, calibrated
from firmware_bridge.workspace import Point
from station.arm_lesson import STEPS_MM, WAYS, Begin, Judge, Lesson, Touch, TouchSlot, TouchSpot, Try, begun, jogged
from station.config import BoardTable
from station.effects import Handle
from station.events import ArmDone, ArmFailed, ArmFound, ArmLost, Event
from station.runtime.arm_talk import ANSWER_MS
from station.runtime.arms import ArmWorker, Jog
from station.runtime.clock import Clock
from station.runtime.known_arms import KnownArms
from station.runtime.loop import Brake
from station.texts import Texts

PATIENCE_S = 3.0
"""How long an answer to the page waits for a step of the tool to end."""
Deed = Act | Point


@dataclass(slots=True)
class _Course:
    """One board's arm, from the page's first request on."""

    worker: ArmWorker | None = None
    """Serves the arm while it is shown its board."""
    since_ms: int = 0
    lesson: Lesson | None = None
    job: int = 0
    """The job under way; 0 for none."""
    deeds: deque[Deed] = field(default_factory=deque)
    """What the arm still has to do before the person is asked again."""
    then: Lesson | None = None
    """The lesson once that is done."""
    ended: str = ""
    """Why it is over; empty while it is not."""
    is_kept: bool = False
    said: str = ""
    """What there is to say beside what is asked for."""


class ArmDesk:
    """Used by the page's threads and by those of its own workers."""

    def __init__(
        self,
        workers: Mapping[str, ArmWorker],
        tables: Mapping[str, BoardTable],
        brakes: MutableMapping[str, Brake],
        known: KnownArms,
        texts: Texts,
    ) -> None:
        self._workers, self._tables, self._brakes, self._known, self._texts = workers, tables, brakes, known, texts
        self._courses = {board: _Course() for board in workers}
        self._numbers = 0
        self._news = threading.Condition(threading.RLock())
        self.clock = Clock()

    def boards(self) -> tuple[str, ...]:
        """The boards whose arm can be shown its board."""
        return tuple(self._workers)

    def ask(self, board: str, act: str, way: str = "", step_mm: float = 0.0) -> dict[str, Any]:
        """Look, or go on: `look`, `start`, `jog`, `next`, `no`, `end`. What the page is to show.

        ValueError for a way or a step that is none.
        """
        self._give_back(board)
        with self._news:
            course = self._courses[board]
            match act:
                case "start":
                    course = self._start(board)
                case "end" if course.worker is not None and not course.ended:
                    self._end(course, self._say("ended"))
                case "jog" if _is_free(course):
                    self._jog(course, way, step_mm)
                case "next" | "no" if _is_free(course):
                    self._next(course, act == "next")
            self._mind(board, course)
            answer = self._shown(board, course)
        self._give_back(board)
        return answer

    def close(self) -> None:
        """The station ends."""
        for course in self._courses.values():
            if course.worker is not None:
                course.worker.stop()

    # --- what the worker says

    def post(self, board: str, event: Event) -> None:
        """Something happened to the arm."""
        with self._news:
            course = self._courses[board]
            match event:
                case ArmFound(name=name) if course.lesson is None:
                    table = self._tables[board]
                    assert table.arm_setup is not None
                    assert table.arm_setup.built is not None
                    course.lesson = begun(table.id, name, table.ruleset, table.arm_setup.built)
                case ArmFound():
                    self._fail(course, "reset", "")
                case ArmDone(job=job) if job == course.job:
                    course.job = 0
                    self._go_on(course)
                case ArmFailed(job=job, kind="unreachable", reason=reason) if self._is_touching(course, job):
                    course.job, course.said = 0, self._say("no_farther", reason=reason)
                    self._go_on(course)
                case ArmFailed(job=job, kind=kind, reason=reason) if job in (0, course.job):
                    self._fail(course, kind, reason)
                case ArmLost(reason=reason):
                    place = self._tables[board].arm_setup
                    assert place is not None
                    self._end(course, self._say("silent", place=place.port or place.usb_serial, reason=reason))
            self._news.notify_all()

    # --- going on

    def _start(self, board: str) -> _Course:
        """Take the port over from the station, unless its arm is about something."""
        course, own = self._courses[board], self._workers[board]
        if course.worker is not None and not course.ended:
            return course
        if own.motion.is_moving:
            course.said = self._texts.say("arm.says_busy")
            return course
        setup = self._tables[board].arm_setup
        assert setup is not None
        own.let_go("it is shown its board")
        course = self._courses[board] = _Course(since_ms=self.clock.now_ms())
        course.worker = ArmWorker(board, setup.to_be_shown(self._tables[board].arm), self)
        if own.is_pressed:
            course.worker.brake(True)
        self._brakes[board] = course.worker.brake
        course.worker.start()
        return course

    def _mind(self, board: str, course: _Course) -> None:
        """End it where the arm never answers, and where it was stopped while it stood."""
        if course.worker is None or course.ended:
            return
        if course.lesson is None:
            if self.clock.now_ms() >= course.since_ms + ANSWER_MS:
                self.post(board, ArmLost(self.clock.now_ms(), self._texts.say("doctor.silence")))
        elif course.lesson.at and not course.job and course.worker.motion.at is None:
            self._fail(course, "stopped", "")

    def _give_back(self, board: str) -> None:
        """The station's own worker has the port again, once it is over."""
        with self._news:
            course = self._courses[board]
            if not course.ended or course.worker is None:
                return
            worker, course.worker = course.worker, None
            own = self._workers[board]
            own.brake(worker.is_pressed)
            self._brakes[board] = own.brake
            if worker.is_pressed:  # it may have been pressed just now
                own.brake(True)
        # Without the lock: the worker's thread may be about to tell something.
        worker.stop()
        own.start()

    def _next(self, course: _Course, is_yes: bool) -> None:
        """The person has done what was asked for."""
        lesson, worker = course.lesson, course.worker
        assert lesson is not None
        assert worker is not None
        course.said = ""
        try:
            if isinstance(lesson.stage, Judge):
                course.then = lesson.judged(is_yes)
            elif not is_yes:
                return
            elif isinstance(lesson.stage, Touch):
                self._touch(course, lesson, worker)
            else:
                course.deeds.extend(lesson.acts)
                course.then = lesson.done()
        except CalibrationError as error:
            self._end(course, self._say(error.kind, **error.words))
            return
        self._go_on(course)

    def _touch(self, course: _Course, lesson: Lesson, worker: ArmWorker) -> None:
        """The tool is where it was wanted; it goes up, and near the next place where that is known."""
        at = worker.motion.at
        if at is None:
            return
        risen = lesson.rises(at)
        lesson = lesson.touched(at)
        if lesson.fits is not None:
            key, words = lesson.fits
            course.said = self._say(key, **words)
        if isinstance(lesson.stage, Try):
            worker.motion.use(lesson.space)
            lesson.check_reach(worker.motion.out_of_reach)
        if risen is not None:
            course.deeds.append(risen)
        if lesson.hover is not None:
            course.deeds.append((*lesson.hover, (risen or at)[2]))
        course.then = lesson

    def _jog(self, course: _Course, way: str, step_mm: float) -> None:
        if way not in WAYS or step_mm not in STEPS_MM:
            steps = ", ".join(f"{step:g}" for step in STEPS_MM)
            raise ValueError(f"way = {way!r}, step_mm = {step_mm!r}: expected one of {', '.join(WAYS)}, and of {steps}")
        worker = course.worker
        assert worker is not None
        if not isinstance(self._stage(course), Touch) or worker.motion.at is None:
            return
        course.said = ""
        course.deeds.append(jogged(worker.motion.at, way, step_mm))
        self._go_on(course)
        self._news.wait_for(lambda: not course.job, PATIENCE_S)

    def _go_on(self, course: _Course) -> None:
        """The next thing that the arm has to do, or the lesson after all of them."""
        worker = course.worker
        if course.ended or worker is None:
            return
        if course.deeds:
            deed = course.deeds.popleft()
            self._numbers += 1
            course.job = self._numbers
            is_place = isinstance(deed, tuple)
            worker.do(Jog(course.job, deed) if is_place else Handle(course.job, (deed, *course.deeds)))  # type: ignore[arg-type]
            return
        if course.then is None:
            return
        course.lesson, course.then = course.then, None
        if course.lesson.stage is None:
            path = self._known.keep(course.lesson.name, calibrated(course.lesson.space))
            course.is_kept = True
            self._end(course, self._say("kept", path=str(path)))

    def _fail(self, course: _Course, kind: str, reason: str) -> None:
        why = self._texts.say(f"arm.{kind}", detail=reason).strip()
        self._end(course, self._say("stopped", reason=why))

    def _end(self, course: _Course, why: str) -> None:
        if course.ended:
            return
        course.ended, course.job, course.then = why, 0, None
        course.deeds.clear()
        if course.worker is not None and course.worker.motion.is_moving:
            course.worker.brake()

    # --- what the page shows

    def _shown(self, board: str, course: _Course) -> dict[str, Any]:
        ruleset, lesson, worker = self._tables[board].ruleset, course.lesson, course.worker
        at = None if worker is None or worker.motion.at is None else [round(place, 1) for place in worker.motion.at]
        answer = {
            "step": self._step(course),
            "sentence": course.ended or self._asked(course),
            "said": "" if course.ended else course.said,
            "is_busy": bool(course.job),
            "at": at,
            "board": [ruleset.columns, ruleset.rows],
            "done": 0 if lesson is None else lesson.at,
            "of": 0 if lesson is None else len(lesson.stages),
            "spot": None,
        }
        match self._stage(course):
            case TouchSpot(spot=spot):
                answer["spot"] = list(spot)
            case Try(square=square) | Judge(square=square):
                answer["spot"] = list(ruleset.geometry.cells[square])
            case TouchSlot(slot=slot):
                answer["slot"] = slot
        return answer

    def _asked(self, course: _Course) -> str:
        if course.lesson is None:
            return ""
        if course.job and not isinstance(course.lesson.stage, Touch):
            return self._texts.say("arm.says_busy")
        key, words = course.lesson.asked
        return self._say(key, **words)

    @staticmethod
    def _step(course: _Course) -> str:
        """`closed`, `opening`, `begin`, `touch`, `try`, `judge`, `saved` or `ended`."""
        if course.ended:
            return "saved" if course.is_kept else "ended"
        if course.lesson is None:
            return "closed" if course.worker is None else "opening"
        stage = course.lesson.stage
        if isinstance(stage, Touch):
            return "touch"
        return {Begin: "begin", Try: "try", Judge: "judge"}[type(stage)]

    def _is_touching(self, course: _Course, job: int) -> bool:
        return job == course.job != 0 and isinstance(self._stage(course), Touch)

    @staticmethod
    def _stage(course: _Course) -> object:
        return None if course.lesson is None or course.ended else course.lesson.stage

    def _say(self, key: str, **words: str) -> str:
        return self._texts.say(f"arm_walk.{key}", **words)


def _is_free(course: _Course) -> bool:
    """Whether a person may ask for something: the arm answers, stands, and it is not over."""
    return course.lesson is not None and not course.job and not course.ended and course.worker is not None
