"""`dambord calibrate arm`: a person brings the tool to named places, and tries it; where the board lies is kept."""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from engine.geometry import Cell
from engine.ruleset import Ruleset
from firmware_bridge.arm_driver import Failed
from firmware_bridge.errors import PortLost
from firmware_bridge.manipulations import Act, Fetch, Home, Lift, Park, Place, Slide, Slot, Spot
from firmware_bridge.touched import CalibrationError, calibrated, fitted, off_mm, spots, tray_ends, tray_placed
from firmware_bridge.workspace import Point, Workspace
from station import announcements as say
from station.arm_config import ArmSetup
from station.config import BoardTable, Config
from station.errors import ConfigError
from station.handling.arm import DRY_RUN, NOT_MOVING
from station.runtime.arm_talk import ArmTalk, open_arm
from station.runtime.arms import arm_class
from station.runtime.keys import Keys
from station.runtime.known_arms import KnownArms
from station.runtime.running import load
from station.texts import Texts, load_texts

STEPS_MM = {"1": 0.1, "2": 1.0, "3": 10.0, "4": 50.0}
DOWN_MM = 0.5
"""Nobody breaks a gripper by steps of this size."""
RISE_MM = 10.0
"""The tool leaves a touched place upwards by so much."""
KEYS = {
    **{"left": (-1, 0, 0), "right": (1, 0, 0), "up": (0, 1, 0), "down": (0, -1, 0)},
    **{"a": (-1, 0, 0), "d": (1, 0, 0), "w": (0, 1, 0), "s": (0, -1, 0)},
    **{"page_up": (0, 0, 1), "page_down": (0, 0, -1), "r": (0, 0, 1), "f": (0, 0, -1)},
}
"""What moves the tool: along x, y, z of the machine."""


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
    moved = [table for table in config.boards if table.arm not in ("", DRY_RUN, *NOT_MOVING)]
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
    """A person, an arm, and where its tool is."""

    def __init__(self, table: BoardTable, built: Workspace, talk: ArmTalk, keys: Keys, texts: Texts) -> None:
        self._table, self._built, self._talk, self._keys, self._texts = table, built, talk, keys, texts
        self._step_mm = STEPS_MM["3"]
        self._number = 0

    def tell(self, key: str, **words: str) -> None:
        """Say something to the person."""
        print(self._texts.say(f"arm_walk.{key}", **words), flush=True)

    def walk(self, *, nine: bool) -> Workspace:
        """The workspace as it was touched and tried; GivenUpError when there is none."""
        found = self._talk.found
        assert found is not None
        self.tell("begin", name=self._table.id, arm=found.name)
        for warning in found.warnings:
            print(warning, flush=True)
        self._enter()
        self._must(self._talk.carry_out(Home(), Park()))
        self.tell("keys")
        space = self._placed(self._board(nine=nine))
        space = self._tray(space)
        space = replace(space, park=self._touch("park"))
        self._check_reach(space)
        self._talk.motion.use(space)
        for square in trial_squares(self._table.ruleset):
            self._try(square)
        return space

    # --- touching

    def _board(self, *, nine: bool) -> dict[Spot, Point]:
        """Where the corners, and with nine points the places between them, were touched."""
        touched: dict[Spot, Point] = {}
        corners = spots(self._built.columns, self._built.rows)
        for spot in spots(self._built.columns, self._built.rows, nine=nine):
            if len(touched) >= len(corners) - 1:
                near_left, near_right, far_left = (touched[corner][:2] for corner in corners[:3])
                guess = replace(
                    self._built, near_left=near_left, near_right=near_right, far_left=far_left, corrections=()
                )
                self._hover(guess.xy(spot))
            column, row = spot[0] + 1, self._built.rows - spot[1]
            touched[spot] = self._touch("touch", column=_between(column), row=_between(row))
        return touched

    def _placed(self, touched: dict[Spot, Point]) -> Workspace:
        try:
            space = fitted(self._built, touched)
        except CalibrationError as error:
            raise self._refused(error) from error
        heights = [point[2] for point in touched.values()]
        self.tell(
            "fits",
            off=f"{off_mm(space, touched):.2f}",
            pitch=f"{space.pitch_mm:.2f}",
            height=f"{max(heights) - min(heights):.2f}",
        )
        return space

    def _tray(self, space: Workspace) -> Workspace:
        touched: dict[Slot, Point] = {slot: self._touch("slot", slot=str(slot)) for slot in tray_ends(space)}
        if not touched:
            return space
        try:
            return tray_placed(space, touched)
        except CalibrationError as error:
            raise self._refused(error) from error

    def _touch(self, key: str, **words: str) -> Point:
        """Where the tool is when the person says that it is there; it goes up from there."""
        self._number += 1
        self.tell(key, number=str(self._number), **words)
        while (pressed := self._key()) != "enter":
            self._step_mm = STEPS_MM.get(pressed, self._step_mm)
            if pressed in KEYS:
                self._jog(KEYS[pressed])
        x, y, z = self._at
        if not self._built.is_below and key != "park":
            self._go((x, y, min(z + RISE_MM, self._built.highest[2])))
        return x, y, z

    def _hover(self, place: tuple[float, float]) -> None:
        """Bring the tool near a place that is known already; the person does the rest."""
        self._go((*place, self._at[2]))

    def _jog(self, way: tuple[int, int, int]) -> None:
        step_mm = min(self._step_mm, DOWN_MM) if way[2] < 0 else self._step_mm
        x, y, z = (place + part * step_mm for place, part in zip(self._at, way, strict=True))
        self._go((x, y, z))
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

    # --- trying

    def _check_reach(self, space: Workspace) -> None:
        """Every square and slot must be in reach before anything is kept."""
        self._talk.motion.use(space)
        ruleset = self._table.ruleset
        for square, cell in enumerate(ruleset.geometry.cells):
            act: Act = Slide((cell,)) if space.is_below else Lift(cell)
            out = self._talk.motion.out_of_reach(act)
            if out is not None:
                (name,) = say.names((square,), ruleset)
                raise GivenUpError(self._texts.say("arm_walk.reach", place=name, reason=out))
        slots = () if space.is_below else range(len(space.tray))
        fetches = tuple(Fetch(slot, ruleset.geometry.cells[0]) for slot in slots)
        beside: tuple[Act, ...] = (Park(), *fetches)
        for act in beside:
            out = self._talk.motion.out_of_reach(act)
            if out is not None:
                raise GivenUpError(self._texts.say("arm_walk.reach", place=str(act), reason=out))

    def _try(self, square: int) -> None:
        """A piece is lifted and put back; GivenUpError when it does not stand as before."""
        cell = self._table.ruleset.geometry.cells[square]
        (name,) = say.names((square,), self._table.ruleset)
        self.tell("trial", square=name)
        self._enter()
        self._must(self._talk.carry_out(*trial(cell, self._built), Park()))
        self.tell("stands", square=name)
        while (pressed := self._key()) not in ("enter", "n"):
            continue
        if pressed == "n":
            raise GivenUpError(self._texts.say("arm_walk.off", square=name))

    # --- the person

    def _enter(self) -> None:
        while self._key() != "enter":
            continue

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

    def _refused(self, error: CalibrationError) -> GivenUpError:
        return GivenUpError(self._texts.say(f"arm_walk.{error.kind}", **error.words))


def trial(cell: Cell, space: Workspace) -> tuple[Act, ...]:
    """What is done to a piece on a cell so that it stands there again."""
    if not space.is_below:
        return Lift(cell), Place(cell)
    column, row = cell
    aside = (column + (0.5 if column < space.columns / 2 else -0.5), row + (0.5 if row < space.rows / 2 else -0.5))
    return (Slide((cell, aside, cell)),)


def trial_squares(ruleset: Ruleset) -> tuple[int, ...]:
    """Five squares: near each corner, and in the middle."""
    geometry, right, down = ruleset.geometry, ruleset.columns - 1, ruleset.rows - 1
    wanted = ((0, down), (right, down), (right, 0), (0, 0), (right / 2, down / 2))
    found = []
    for place in wanted:
        nearest = min(
            range(len(geometry)),
            key=lambda s: (geometry.cells[s][0] - place[0]) ** 2 + (geometry.cells[s][1] - place[1]) ** 2,
        )
        found.append(nearest)
    return tuple(found)


def _between(number: float) -> str:
    """A column or row as people count it; `4-5` where two meet."""
    return str(int(number)) if number == int(number) else f"{int(number)}-{int(number) + 1}"
