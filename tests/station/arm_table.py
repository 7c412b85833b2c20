"""A board with an arm in simulated time: session, motion, driver and bytes are real, the machine is a twin."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from engine.game import Game
from engine.geometry import Cell, Geometry
from engine.position import EMPTY, Move, Piece
from firmware_bridge.arm_driver import Found, Machine
from firmware_bridge.arms import feetech, gcode
from firmware_bridge.motion import ArmDriver, JobDone, JobFailed, Motion, MotionOutput
from firmware_bridge.simulator.carpentry import Timber, Tool, Workshop
from firmware_bridge.simulator.grbl_axes import ChipFaults
from firmware_bridge.simulator.grbl_chip import GrblChip
from firmware_bridge.simulator.marlin_board import MarlinBoard
from firmware_bridge.simulator.servo_bus import ServoBus
from firmware_bridge.workspace import Workspace
from station.effects import Choose, Effect, Halt, Handle
from station.events import ArmDone, ArmFailed, ArmFound, BoardSeen, DeviceBack, Event, PlayerChose, TimePassed
from station.handling.arm import ArmSettings
from station.handling.plans import Tool as Abilities
from station.session import deadline_ms
from tests.station.table import DEVICE, Table, see

MOTION = re.compile(rb"G0?[01]\b|G28|\$[HJ]|~")
"""What moves a machine on a G-code controller: lines, homing, jogs, and going on after a hold."""
ORIGIN = (-430.0, -400.0)
BOARD_Z = -70.0


def workspace_for(columns: int, rows: int, slots: int, pitch: float = 40.0, turned: float = 1.5) -> Workspace:
    """What somebody measured who touched the corners of a board that lies a little askew."""
    timber = timber_for(columns, rows, pitch, turned)
    return Workspace(
        columns,
        rows,
        near_left=timber.centre(0, rows - 1),
        near_right=timber.centre(columns - 1, rows - 1),
        far_left=timber.centre(0, 0),
        lowest=(-600.0, -600.0, -79.0),
        highest=(-1.0, -1.0, -1.0),
        park=(-20.0, -580.0, -5.0),
        board_z=BOARD_Z,
        carry_mm=40.0,
        feed=30_000.0,
        plunge=12_000.0,
        tray=slots_for(slots),
        tray_z=BOARD_Z,
    )


def slots_for(count: int) -> tuple[tuple[float, float], ...]:
    """Left of the board, in columns of ten."""
    return tuple((-480.0 - 36.0 * (slot // 12), -440.0 + 36.0 * (slot % 12)) for slot in range(count))


def timber_for(columns: int, rows: int, pitch: float = 40.0, turned: float = 1.5) -> Timber:
    return Timber(columns, rows, pitch, ORIGIN, turned, 30.0, 8.0, BOARD_Z, BOARD_Z)


@dataclass
class Built:
    """A machine beside a table: its wood, what is at the far end of its wire, and how we speak with it."""

    shop: Workshop
    chip: GrblChip | MarlinBoard | ServoBus
    workspace: Workspace
    driver: ArmDriver


def gantry(geometry: Geometry, slots: int, faults: ChipFaults | None = None) -> Built:
    shop = Workshop(timber_for(geometry.columns, geometry.rows), Tool((0.0, 0.0, 0.0)))
    # What a lifting tool does between two waypoints is seen by no sensor: no need to look on the way.
    chip = GrblChip(shop, (600.0, 600.0, 80.0), faults=faults, step_ms=1000)
    return Built(shop, chip, workspace_for(geometry.columns, geometry.rows, slots), gcode.Driver(Machine()))


def printer(geometry: Geometry, slots: int, faults: ChipFaults | None = None) -> Built:
    """A gantry on a 3D printer's board: it finds its home above the corner left of White, and goes down from there."""
    timber = Timber(geometry.columns, geometry.rows, 40.0, (150.0, 60.0), 1.5, 30.0, 8.0, BOARD_Z, BOARD_Z)
    shop = Workshop(timber, Tool((0.0, 0.0, 0.0)))
    workspace = Workspace(
        geometry.columns,
        geometry.rows,
        near_left=timber.centre(0, geometry.rows - 1),
        near_right=timber.centre(geometry.columns - 1, geometry.rows - 1),
        far_left=timber.centre(0, 0),
        lowest=(0.0, 0.0, -79.0),
        highest=(639.0, 639.0, 0.0),
        park=(20.0, 20.0, -5.0),
        board_z=BOARD_Z,
        carry_mm=40.0,
        feed=30_000.0,
        plunge=12_000.0,
        tray=tuple((80.0 - 36.0 * (slot // 12), 60.0 + 36.0 * (slot % 12)) for slot in range(slots)),
        tray_z=BOARD_Z,
    )
    machine = Machine(dialect="marlin", grip_on="M106 S255", grip_off="M107")
    board = MarlinBoard(shop, (0.0, 0.0, -80.0), (640.0, 640.0, 0.0))
    return Built(shop, board, workspace, gcode.Driver(machine))


def servo_arm(geometry: Geometry, slots: int, faults: ChipFaults | None = None) -> Built:
    """Five joints in front of a small board, with the tray between them and it."""
    pitch, first = 18.0, (110.0, 63.0)
    timber = Timber(geometry.columns, geometry.rows, pitch, first, -90.0, 13.0, 8.0)
    shop = Workshop(timber, Tool((0.0, 0.0, 0.0), radius=3.0, catch=4.0))
    workspace = Workspace(
        geometry.columns,
        geometry.rows,
        near_left=timber.centre(0, geometry.rows - 1),
        near_right=timber.centre(geometry.columns - 1, geometry.rows - 1),
        far_left=timber.centre(0, 0),
        lowest=(50.0, -250.0, 0.0),
        highest=(400.0, 250.0, 150.0),
        park=(110.0, -110.0, 80.0),
        tray=tuple((85.0 - 18.0 * (slot // 8), -63.0 + 18.0 * (slot % 8)) for slot in range(slots)),
    )
    return Built(shop, ServoBus(shop), workspace, feetech.Driver(Machine()))


class ArmTable(Table):
    """A table at which the arm makes the moves of players who are not there."""

    def __init__(
        self,
        variant: str = "russian",
        fen: str = "",
        *,
        crown: str = "swap",
        slots: int = 36,
        spares: int = 3,
        faults: ChipFaults | None = None,
        machine: Callable[[Geometry, int, ChipFaults | None], Built] = gantry,
        kind: str = "colour",
        white: str = "person",
        black: str = "engine:1",
        armed: bool = True,
        seed: int = 1,
        chooses: Callable[[Game], Move] | None = None,
        **settings: object,
    ) -> None:
        self.random = Random(seed)
        self._chooses = chooses or (lambda game: self.random.choice(game.legal_moves))
        self._clock_ms = 0
        self.seen: dict[Cell, tuple[Piece, ...]] = {}
        """What the sensors told of last."""
        self.parts: tuple[Motion, GrblChip | MarlinBoard | ServoBus] | None = None
        abilities = Abilities(crown=crown)
        self.halts: list[int] = []
        self.chosen_moves: list[Move] = []
        """What the players who are not there chose."""
        self.sent_shut: list[bytes] = []
        """What would move the machine, sent while nothing may."""
        super().__init__(
            variant,
            fen,
            kind=kind,
            white=white,
            black=black,
            ready=False,
            arm=ArmSettings("gcode", abilities, slots, spares),
            **settings,
        )
        geometry = self.ruleset.geometry
        built = machine(geometry, slots, faults)
        self.shop, self.chip, self.workspace = built.shop, built.chip, built.workspace
        position = self.session.game.position
        for square, piece in enumerate(self.stands):
            for _ in range(0 if piece is EMPTY else abilities.height(position, square)):
                self.shop.put(geometry.cells[square], piece)
        for place, piece in zip(self.workspace.tray, self.session.arm.tray, strict=True):
            if piece is not EMPTY:
                self.shop.put_at(*place, piece)
        assert self.workspace.fault() is None
        self.motion = Motion(built.driver, self.workspace)
        self.parts = (self.motion, self.chip)
        self.open_port()
        self.send(DeviceBack(self.now, DEVICE))
        self.look()
        self.wait(1500)
        assert self.phase != "SettingUp"
        if armed:
            assert self.ask("arm") is None
        self.effects.clear()

    # --- the wire

    def open_port(self) -> None:
        self.hear(self.motion.start(self.now))
        self.hear(self.motion.receive(self.chip.opened(self.now), self.now))

    def hear(self, output: MotionOutput) -> None:
        """Bytes go to the chip, what happened goes to the session."""
        while output.send:
            if MOTION.search(output.send) and not self.may_move:
                self.sent_shut.append(output.send)
            answer = self.chip.receive(output.send, self.now)
            self.tell(output)
            output = self.motion.receive(answer, self.now) if answer else MotionOutput()
        self.tell(output)

    @property
    def may_move(self) -> bool:
        """Whether the gate is open: armed, no stop, no hand, a job under way."""
        arm = self.session.arm
        return arm.is_armed and arm.is_moving and not arm.is_hand_seen and not self.session.is_stopped

    def tell(self, output: MotionOutput) -> None:
        for said in output.told:
            match said:
                case Found(name=name):
                    self.send(ArmFound(self.now, name))
                case JobDone(job=job):
                    self.send(ArmDone(self.now, job))
                case JobFailed(job=job, failed=failed):
                    self.send(ArmFailed(self.now, job, failed.kind, failed.reason, failed.is_lost))

    def send(self, event: Event) -> tuple[Effect, ...]:
        effects = super().send(event)
        for effect in effects if self.parts else ():
            match effect:
                case Handle(job=job, acts=acts, attempt=attempt):
                    self.hear(self.motion.begin(job, acts, attempt, self.now))
                case Halt():
                    self.halts.append(self.now)
                    self.hear(self.motion.halt(self.now))
                case Choose(request=request, game=game):
                    self.chosen_moves.append(self._chooses(game))
                    super().send(PlayerChose(self.now, request, self.chosen_moves[-1]))
        return effects

    # --- time

    @property
    def now(self) -> int:
        return max(self._clock_ms, self.session.at_ms)

    def wait(self, duration_ms: int) -> None:
        until = self.now + duration_ms
        while self._next(until):
            pass
        self.send(TimePassed(until))

    def until(self, is_so, limit_ms: int = 120_000) -> None:
        """Let time pass, from one thing that happens to the next, until something is so."""
        end = self.now + limit_ms
        while not is_so():
            assert self.now < end, (self.guidance, self.session.arm.stage, self.heard[-5:])
            soon = self.now + 1000
            if not self._next(soon):
                self.send(TimePassed(soon))

    def _next(self, until: int) -> bool:
        """Let the next thing happen, if one does by then."""
        due = self._due()
        if due is None or due > until:
            return False
        self._pass(max(due, self.now))
        return True

    def _due(self) -> int | None:
        parts = self.parts or ()
        times = [deadline_ms(self.session), *(part.deadline_ms() for part in parts)]
        return min((time for time in times if time is not None), default=None)

    def _pass(self, now_ms: int) -> None:
        self._clock_ms = max(self._clock_ms, now_ms)
        due = deadline_ms(self.session)
        if due is not None and due <= now_ms:
            self.send(TimePassed(now_ms))
        if self.parts is None:
            return
        heard = self.chip.tick(now_ms)
        self.sense()
        if heard:
            self.hear(self.motion.receive(heard, now_ms))
        deadline = self.motion.deadline_ms()
        if deadline is not None and deadline <= now_ms:
            self.hear(self.motion.tick(now_ms))
        self.sense()

    def sense(self) -> None:
        """The sensors tell what stands in the workshop, if it has changed."""
        seen = self.shop.seen()
        if seen is self.seen:
            return
        self.seen = seen
        stands = [_top(seen.get(cell, ())) for cell in self.ruleset.geometry.cells]
        if stands != self.stands:
            self.stands = stands
            self.send(BoardSeen(self.now, see(stands, self.kind, self.unknown)))

    # --- hands

    def touch(self, square: int, piece: Piece) -> None:
        self.wait(self.pause_ms)
        cell = self.ruleset.geometry.cells[square]
        self.shop.take(cell)
        if piece is not EMPTY:
            self.shop.put(cell, piece)
        self.sense()


def _top(pile: tuple[Piece, ...]) -> Piece:
    return pile[-1] if pile else EMPTY
