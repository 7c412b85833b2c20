"""`dambord calibrate arm`: a person brings the tool to named places, and tries it; where the board lies is kept."""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from pathlib import Path

from firmware_bridge.arm_driver import Failed
from firmware_bridge.errors import PortLost
from firmware_bridge.touched import CalibrationError, calibrated
from firmware_bridge.workspace import Point, Workspace
from station.arm_config import ArmSetup
from station.arm_lesson import (
    STEPS_MM,
    Begin,
    Judge,
    Lesson,
    TouchPark,
    TouchSlot,
    TouchSpot,
    Try,
    begun,
    jogged,
)
from station.config import BoardTable, Config
from station.errors import ConfigError
from station.runtime.arm_talk import ArmTalk, open_arm
from station.runtime.arms import arm_class, moves
from station.runtime.keys import Keys
from station.runtime.known_arms import KnownArms
from station.runtime.running import load
from station.texts import Texts, load_texts

STEPS = dict(zip("1234", STEPS_MM, strict=True))
KEYS = {
    **{"left": "left", "right": "right", "up": "away", "down": "near", "page_up": "up", "page_down": "down"},
    **{"a": "left", "d": "right", "w": "away", "s": "near", "r": "up", "f": "down"},
}
"""What moves the tool, and where to."""


class GivenUpError(Exception):
    """The person ended it, or the arm stopped: nothing is kept."""


def calibrate_arm(options: argparse.Namespace) -> int:
    """Have a person show an arm its board, try it, and keep that; 1 when there is nothing that can be kept."""
    config = load(options.config)
    table, setup, built = _chosen(config, options.board)
    texts = load_texts(config.station.language)
    driver = arm_class(table.arm)(setup.machine)
    place = setup.port or f"USB serial number {setup.usb_serial}"
    try:
        with closing(open_arm(setup, driver)) as port, Keys() as keys:
            with closing(ArmTalk(driver, built, port, setup.machine.home_s)) as talk:
                if talk.begin():
                    walk = Walk(table, built, talk, keys, texts)
                    kept = walk.walk(nine=options.nine)
                    path = KnownArms(Path(config.station.data)).keep(table.id, calibrated(kept))
                    walk.tell("kept", path=str(path))
                    return 0
            reason = talk.failed.reason if talk.failed is not None else texts.say("doctor.silence")
    except PortLost as lost:
        reason = lost.reason
    except GivenUpError as given_up:
        print(f"dambord: {table.id}: {given_up}", file=sys.stderr)
        return 1
    print(f"dambord: {table.id}: {texts.say('arm_walk.silent', place=place, reason=reason)}", file=sys.stderr)
    return 1


def _chosen(config: Config, name: str | None) -> tuple[BoardTable, ArmSetup, Workspace]:
    moved = [table for table in config.boards if moves(table)]
    for table in moved if len(moved) == 1 or name is not None else ():
        if name in (None, table.id):
            if table.arm_setup is None or table.arm_setup.built is None:
                raise ConfigError(
                    f"boards {table.id}: arm_file is missing, expected how its arm is built (deploy/arms)"
                )
            return table, table.arm_setup, table.arm_setup.built
    names = ", ".join(table.id for table in moved) or "a board with an arm that moves in the configuration"
    raise ConfigError(f"--board {name or ''}: expected one of {names}")


class Walk:
    """A person at a keyboard, an arm, and where its tool is."""

    def __init__(self, table: BoardTable, built: Workspace, talk: ArmTalk, keys: Keys, texts: Texts) -> None:
        self._table, self._built, self._talk, self._keys, self._texts = table, built, talk, keys, texts
        self._step_mm = STEPS["3"]

    def tell(self, key: str, **words: str) -> None:
        """Say something to the person."""
        print(self._texts.say(f"arm_walk.{key}", **words), flush=True)

    def walk(self, *, nine: bool) -> Workspace:
        """The workspace as it was touched and tried; GivenUpError when there is none."""
        found = self._talk.found
        assert found is not None
        for warning in found.warnings:
            print(warning, flush=True)
        lesson = begun(self._table.id, found.name, self._table.ruleset, self._built, nine=nine)
        try:
            while lesson.stage is not None:
                lesson = self._go_on(lesson)
        except CalibrationError as error:
            raise GivenUpError(self._texts.say(f"arm_walk.{error.kind}", **error.words)) from error
        return lesson.space

    def _go_on(self, lesson: Lesson) -> Lesson:
        """The lesson after the stage that it is in."""
        if lesson.hover is not None:
            self._go((*lesson.hover, self._at[2]))
        key, words = lesson.asked
        self.tell(key, **words)
        match lesson.stage:
            case TouchSpot() | TouchSlot() | TouchPark():
                return self._touch(lesson)
            case Judge():
                return lesson.judged(self._answer())
            case stage:
                self._enter()
                self._must(self._talk.carry_out(*lesson.acts))
                if isinstance(stage, Begin):
                    self.tell("keys")
                return lesson.done()

    # --- the tool

    def _touch(self, lesson: Lesson) -> Lesson:
        """The person brings the tool there and says so; it goes up from there."""
        while (pressed := self._key()) != "enter":
            self._step_mm = STEPS.get(pressed, self._step_mm)
            if pressed in KEYS:
                self._jog(KEYS[pressed])
        at = self._at
        risen = lesson.rises(at)
        if risen is not None:
            self._go(risen)
        lesson = lesson.touched(at)
        if lesson.fits is not None:
            key, words = lesson.fits
            self.tell(key, **words)
        if isinstance(lesson.stage, Try):
            self._talk.motion.use(lesson.space)
            lesson.check_reach(self._talk.motion.out_of_reach)
        return lesson

    def _jog(self, way: str) -> None:
        self._go(jogged(self._at, way, self._step_mm))
        self._keys.forget()
        if self._keys.is_terminal:
            print("\rx {:.1f}  y {:.1f}  z {:.1f} mm    ".format(*self._at), end="", flush=True)

    def _go(self, to: Point) -> None:
        failed = self._talk.go(to)
        if failed is not None and failed.kind == "unreachable":
            self.tell("no_farther", reason=failed.reason)
        else:
            self._must(failed)

    @property
    def _at(self) -> Point:
        at = self._talk.motion.at
        assert at is not None, "an arm that has not failed stands where it was sent"
        return at

    # --- the person

    def _enter(self) -> None:
        while self._key() != "enter":
            continue

    def _answer(self) -> bool:
        while (pressed := self._key()) not in ("enter", "n"):
            continue
        return pressed == "enter"

    def _key(self) -> str:
        """The next key; the arm is listened to meanwhile. GivenUpError for q, and when the arm fails by itself."""
        while not (pressed := self._keys.read(10)):
            self._talk.run(10)
            if self._talk.failed is not None:
                self._must(self._talk.failed)
        if pressed == "q":
            raise GivenUpError(self._texts.say("arm_walk.ended"))
        return pressed

    def _must(self, failed: Failed | None) -> None:
        if failed is not None:
            reason = self._texts.say(f"arm.{failed.kind}", detail=failed.reason).strip()
            raise GivenUpError(self._texts.say("arm_walk.stopped", reason=reason))
