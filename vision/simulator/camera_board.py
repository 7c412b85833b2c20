"""A board under a camera: hands touch it, and the camera tells what it sees, picture by picture."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.random import Generator

from engine.geometry import Cell, Geometry
from engine.position import Piece, Side, side_of
from vision.simulator.arm import SKINS, SLEEVES, Arm
from vision.simulator.lens import Camera, camera_over
from vision.simulator.light import Light, light_over
from vision.simulator.looks import LOOKS, Look, varied
from vision.simulator.pieces import Standing
from vision.simulator.reaching import Contact, arm_at
from vision.simulator.renderer import Renderer
from vision.simulator.sensor import Sensor, jpeg
from vision.simulator.wood import Texture

PERIOD_MS = 200
"""From picture to picture."""
CARELESS = 0.05
"""Deviation with which pieces are put beside the middle of their squares, in sides."""
OLD_MS = 10_000
"""Contacts are forgotten after this time."""
_RAW = "bgr"


@dataclass(frozen=True, slots=True)
class Scene:
    """A board, a camera and a light."""

    camera: Camera
    look: Look
    light: Light
    sensor: Sensor = field(default_factory=Sensor)


def some_scene(geometry: Geometry, chance: Generator) -> Scene:
    """One of the ways in which people set a camera over a board."""
    columns, rows = geometry.columns, geometry.rows
    is_chequer = len(geometry) < columns * rows
    look = varied(LOOKS[str(chance.choice(["maple", "painted", "mahogany"])) if is_chequer else "plain"], chance)
    column, row = geometry.cells[0]
    camera = camera_over(
        columns,
        rows,
        tilt=float(chance.uniform(0, 30)),
        azimuth=float(chance.choice([0, 90, 180, 270]) + chance.uniform(-12, 12)),
        roll=float(chance.uniform(-4, 4)),
        bend=float(chance.uniform(-0.1, 0.02)),
        fill=float(chance.uniform(0.78, 0.9)),
    )
    return Scene(camera, replace(look, dark_parity=(column + row) % 2), light_over(columns, rows, chance))


class CameraBoard:
    """A board that can be touched, with a camera above it; times in ms, never going back."""

    def __init__(
        self, geometry: Geometry, scene: Scene, seed: int = 0, period_ms: int = PERIOD_MS, encodes: bool = False
    ) -> None:
        self.geometry, self.scene = geometry, scene
        self.seen = Renderer(
            geometry.columns,
            geometry.rows,
            camera=scene.camera,
            look=scene.look,
            light=scene.light,
            sensor=scene.sensor,
            seed=seed,
        )
        self._chance = np.random.default_rng(seed)
        self._period_ms, self._encodes = period_ms, encodes
        self._next_ms: int | None = 0
        self._standing: dict[Cell, Standing] = {}
        self._off: list[Piece] = []
        self._beside: tuple[Standing, ...] = ()
        self._contacts: dict[Side, list[Contact]] = {Side.WHITE: [], Side.BLACK: []}
        self._arms = {side: self._some_arm(side) for side in Side}
        self._covered: tuple[int, int] = (0, 0)

    def put(self, cell: Cell, piece: Piece, now_ms: int) -> None:
        """A hand puts a piece on a cell; Piece.EMPTY takes away."""
        if piece is Piece.EMPTY:
            self.take(cell, now_ms)
            return
        off = next((one for one in self._off if side_of(one) is side_of(piece)), None)
        if off is not None:
            self._off.remove(off)
        (dx, dy), number = CARELESS * self._chance.normal(size=2), int(self._chance.integers(1000))
        self._standing[cell] = Standing(piece, cell[0] + 0.5 + float(dx), cell[1] + 0.5 + float(dy), grain=number)

    def take(self, cell: Cell, now_ms: int) -> None:
        """A hand takes away what stands on a cell."""
        if (standing := self._standing.pop(cell, None)) is not None:
            self._off.append(standing.piece)

    def contents(self, cell: Cell) -> Piece:
        """What stands on a cell."""
        standing = self._standing.get(cell)
        return Piece.EMPTY if standing is None else standing.piece

    def expect(self, side: Side, contacts: Iterable[Contact]) -> None:
        """What a person's hand is about to do: it is on its way before it touches anything."""
        self._contacts[side].extend(contacts)

    def cover(self, from_ms: int, until_ms: int) -> None:
        """Something hangs before the camera for a while."""
        self._covered = (from_ms, until_ms)

    def break_sensor(self, cell: Cell) -> None:
        """No square of this board has a sensor of its own: ValueError."""
        raise ValueError("a camera has no sensors under its squares, none can break")

    def press(self, button: str, now_ms: int) -> None:
        """No board under a camera has buttons: ValueError."""
        raise ValueError(f"a board under a camera has no button {button!r}")

    def lamps(self, now_ms: int) -> dict[Cell, str]:
        """None: it is a board of wood."""
        return {}

    def power_cycle(self, now_ms: int) -> None:
        """The camera is gone for a second."""
        self._next_ms = now_ms + 1000

    def receive(self, data: bytes, now_ms: int) -> bytes:
        """A camera is told nothing."""
        return b""

    def tick(self, now_ms: int) -> bytes:
        """Gives the picture that is due at this time."""
        if self._next_ms is None or now_ms < self._next_ms:
            return b""
        self._next_ms = now_ms + self._period_ms
        return self._packed(self.picture(now_ms))

    def deadline_ms(self) -> int | None:
        """When the next picture is taken."""
        return self._next_ms

    def picture(self, now_ms: int) -> Texture:
        """What the camera sees at a time. Shape (height, width, 3)."""
        first, last = self._covered
        if first <= now_ms < last:
            return np.asarray(
                self._chance.normal(9, 2, (self.scene.camera.height, self.scene.camera.width, 3)).clip(0), np.uint8
            )
        arms = []
        for side, contacts in self._contacts.items():
            contacts[:] = [contact for contact in contacts if contact.at_ms > now_ms - OLD_MS]
            arm = arm_at(contacts, now_ms, self._arms[side])
            if arm is not None:
                arms.append(arm)
        if not arms:
            self._beside = self._laid_out()
        return self.seen.picture((*self._standing.values(), *self._beside), arms, now_ms)

    def empty(self) -> bytes:
        """The picture of the board without pieces, before anything is set up on it."""
        return self._packed(self.seen.picture(()))

    def _laid_out(self) -> tuple[Standing, ...]:
        """What was taken off lies beside the board, on the right of whoever took it."""
        reach = self.scene.look.frame_width + 0.6
        columns, rows = self.geometry.columns, self.geometry.rows
        laid = []
        counts = {Side.WHITE: 0, Side.BLACK: 0}
        for number, piece in enumerate(self._off):
            side = side_of(piece) or Side.WHITE
            row, file = divmod(counts[side], 4)
            counts[side] += 1
            x, y = columns + reach + 0.85 * row, rows - 0.5 - 0.9 * file
            if side is Side.WHITE:
                x, y = columns - x, rows - y
            laid.append(Standing(piece, x, y, grain=number))
        return tuple(laid)

    def _some_arm(self, side: Side) -> Arm:
        """Where a person's arm rests: beyond the edge of the board, out of the picture."""
        columns, rows = self.geometry.columns, self.geometry.rows
        x = columns / 2 + float(self._chance.uniform(0.5, 2.5))
        rest, shoulder = rows + 4.0, rows + 12.0
        if side is Side.BLACK:
            x, rest, shoulder = columns - x, rows - rest, rows - shoulder
        return Arm(
            x,
            rest,
            1.0,
            (x, shoulder),
            skin=SKINS[int(self._chance.integers(len(SKINS)))],
            sleeve=SLEEVES[int(self._chance.integers(len(SLEEVES)))],
            bare=float(self._chance.uniform(0.2, 4)),
        )

    def _packed(self, picture: Texture) -> bytes:
        """A line that says what comes, and the picture."""
        data = jpeg(picture, self.scene.sensor) if self._encodes else picture.tobytes()
        head = {
            "camera": "simulated",
            "format": "jpeg" if self._encodes else _RAW,
            "width": picture.shape[1],
            "height": picture.shape[0],
            "bytes": len(data),
            "age_ms": 0,
            "metadata": {"exposure_us": 10_000, "gain": 1.0, "red_gain": 1.5, "blue_gain": 1.5},
        }
        return json.dumps(head).encode() + b"\n" + data
