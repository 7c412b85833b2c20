"""An arm's table in MuJoCo: pieces with weight and friction, and a gripper that goes where the machine's tool went.

It is told where wood stood and where the tool was, in time; it knows of no moves and no plans, and what touches what is
worked out by MuJoCo alone. Lengths are in mm outside of the model, in metres inside.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

import mujoco
import numpy as np

from engine.geometry import Cell
from engine.position import Piece
from firmware_bridge.simulator.carpentry import Place, Timber
from tests.physics.recording import Moment

STEP_S = 0.002
PAUSE_S = 0.4
"""So long at most the tool stands: longer than a gripper needs, shorter than a player."""
CLEAR_MM = 1.5
"""Between a piece and each finger of the open gripper."""
SQUEEZE_MM = 4.0
"""So far each finger would close into a piece; how hard it presses is limited to 2 N."""
BELOW_MM = 3.0
"""How far the fingers reach below the place where the machine believes its tool."""
UPRIGHT = math.cos(math.radians(10))


class World:
    """What stands on the table, and the gripper."""

    def __init__(
        self,
        timber: Timber,
        wood: Sequence[tuple[Place, Piece]],
        dark: Collection[Cell] = (),
        slots: Sequence[tuple[float, float]] = (),
    ) -> None:
        if timber.board_z != timber.tray_z:
            raise ValueError(f"board_z {timber.board_z:g}, tray_z {timber.tray_z:g}: expected the same")
        self.timber, self._kinds = timber, [piece for _, piece in wood]
        self.model = mujoco.MjModel.from_xml_string(_scene(timber, wood, dark, slots))
        self.data = mujoco.MjData(self.model)
        self._bodies = [self.model.body(f"piece {number}").id for number in range(len(wood))]
        self._is_closed, self._held = False, np.zeros(len(wood), bool)
        self._stands = np.array([place[:2] for place, _ in wood])
        """Where each piece should be: where it was put, or let go."""
        self.pushed: list[str] = []
        """Pieces that were found elsewhere, by more than a tenth of the pitch."""
        mujoco.mj_forward(self.model, self.data)

    # --- the machine

    def play(self, way: Sequence[Moment], every_s: float = math.inf) -> Iterator[None]:
        """Have the tool go its way; comes back every so many seconds of the table's time, to look at it."""
        shown_s = -math.inf
        for before, after in pairwise((*way, Moment(way[-1].at_ms + 1000, way[-1].place, way[-1].is_closed))):
            self._grip(before)
            start, end = np.array(before.place) / 1000, np.array(after.place) / 1000
            lasts_s = (after.at_ms - before.at_ms) / 1000
            if before.place == after.place:
                lasts_s = min(lasts_s, PAUSE_S)
            count = round(lasts_s / STEP_S)
            for number in range(count):
                self._go(start + (end - start) * number / count, (end - start) / lasts_s)
                if self.data.time >= shown_s + every_s:
                    shown_s = self.data.time
                    yield
        self._compare()

    def _go(self, place: np.ndarray, speed: np.ndarray) -> None:
        """The machine is stronger than all that it may run into: it is where it is sent."""
        for axis in range(3):
            joint = self.model.joint("xyz"[axis])
            self.data.qpos[joint.qposadr[0]], self.data.qvel[joint.dofadr[0]] = place[axis], speed[axis]
        mujoco.mj_step(self.model, self.data)

    def _grip(self, moment: Moment) -> None:
        if moment.is_closed == self._is_closed:
            return
        self._is_closed = moment.is_closed
        if moment.is_closed:
            self._compare()
            places, (x, y, z) = self._places(), moment.place
            is_under = np.hypot(places[:, 0] - x, places[:, 1] - y) < self.timber.pitch / 4
            self._held = is_under & (places[:, 2] > z - self.timber.height)
        else:
            self._stands[self._held] = moment.place[:2]
        self.data.ctrl[:] = (CLEAR_MM + SQUEEZE_MM) / 1000 if moment.is_closed else 0.0

    # --- what came of it

    def _places(self) -> np.ndarray:
        """The middle of every piece, in mm."""
        return self.data.xpos[self._bodies] * 1000

    def _compare(self) -> None:
        """Look where everything is that nobody holds; each piece that was pushed is told of once."""
        places = self._places()
        off = np.hypot(*(places[:, :2] - self._stands).T)
        for number in np.flatnonzero(off > self.timber.pitch / 10):
            x, y = self._stands[number]
            self.pushed.append(f"{self._kinds[number].name} from {x:.0f}, {y:.0f} by {off[number]:.1f} mm")
        self._stands = np.where((off > self.timber.pitch / 10)[:, None], places[:, :2], self._stands)

    @property
    def fallen(self) -> list[Piece]:
        """What does not stand upright."""
        upright = np.abs(self.data.xmat[self._bodies][:, 8])
        return [kind for kind, share in zip(self._kinds, upright, strict=True) if share < UPRIGHT]

    def board(self) -> dict[Cell, tuple[Piece, ...]]:
        """What lies on every cell that is not empty, from the bottom up."""
        cells = [(column, row) for row in range(self.timber.rows) for column in range(self.timber.columns)]
        found: dict[Cell, list[tuple[float, Piece]]] = {}
        for place, kind in zip(self._places(), self._kinds, strict=True):
            nearest = min(cells, key=lambda cell: math.dist(self.timber.centre(*cell), place[:2]))
            if math.dist(self.timber.centre(*nearest), place[:2]) < self.timber.pitch / 2:
                found.setdefault(nearest, []).append((place[2], kind))
        return {cell: tuple(kind for _, kind in sorted(pile)) for cell, pile in found.items()}


# --- the model

COLOURS = {"white": ("0.93 0.85 0.68 1", "0.87 0.77 0.58 1"), "black": ("0.23 0.11 0.07 1", "0.31 0.16 0.10 1")}
GOLD, STEEL, DARK, LIGHT = "0.95 0.75 0.25 1", "0.62 0.65 0.70 1", "0.47 0.29 0.17 1", "0.86 0.73 0.52 1"
SHOWN = 'contype="0" conaffinity="0" mass="0"'
"""Of what is only looked at."""


def _scene(
    timber: Timber,
    wood: Sequence[tuple[Place, Piece]],
    dark: Collection[Cell],
    slots: Sequence[tuple[float, float]],
) -> str:
    pieces = "".join(_piece(timber, number, place, kind) for number, (place, kind) in enumerate(wood))
    ground = timber.board_z / 1000
    return f"""
<mujoco>
  <option timestep="{STEP_S}" cone="elliptic" impratio="10" integrator="implicitfast">
    <flag sleep="enable" multiccd="enable"/>
  </option>
  <default>
    <geom solref="{2 * STEP_S} 1" friction="0.5 0.002 0.0001" density="700"/>
  </default>
  <visual>
    <global offwidth="1280" offheight="720" fovy="38"/>
    <quality shadowsize="2048" offsamples="4"/>
    <headlight ambient="0.35 0.35 0.35" diffuse="0.25 0.25 0.25" specular="0 0 0"/>
    <map znear="0.02"/>
  </visual>
  <asset>
    <texture name="sky" type="skybox" builtin="gradient"
      rgb1="0.75 0.79 0.83" rgb2="0.45 0.50 0.55" width="64" height="64"/>
  </asset>
  <worldbody>
    <light pos="-0.1 -0.6 0.9" dir="-0.25 0.35 -1" diffuse="0.75 0.73 0.68" castshadow="true"/>
    <geom type="plane" size="2 2 0.1" pos="0 0 {ground}" rgba="0 0 0 0"/>
    <geom {SHOWN} type="box" size="0.75 0.6 0.01" pos="-0.3 -0.28 {ground - 0.02}" rgba="0.55 0.61 0.60 1"/>
    {_board(timber, dark)}
    {_tray(timber, slots)}
    {pieces}
    {_gripper(timber)}
  </worldbody>
  <equality><joint joint1="left" joint2="right" solref="0.01 1"/></equality>
  <actuator>
    <position joint="left" kp="800" forcerange="-2 2"/>
    <position joint="right" kp="800" forcerange="-2 2"/>
  </actuator>
</mujoco>"""


def _piece(timber: Timber, number: int, place: Place, kind: Piece) -> str:
    """A cylinder; what is turned into it, and a king's crown, are only looked at."""
    radius, half = timber.diameter / 2000, timber.height / 2000
    x, y, z = (length / 1000 for length in place)
    rim, inner = COLOURS[kind.name.partition("_")[0].lower()]
    marks = [(0.75, inner), (0.5, GOLD if kind.name.endswith("KING") else rim)]
    shown = "".join(
        f'<geom {SHOWN} type="cylinder" size="{radius * share} {half + 0.0006 * (level + 1)}" rgba="{colour}"/>'
        for level, (share, colour) in enumerate(marks)
    )
    return f"""
    <body name="piece {number}" pos="{x} {y} {z + half}">
      <freejoint/><geom type="cylinder" size="{radius} {half}" rgba="{rim}"/>{shown}
    </body>"""


def _board(timber: Timber, dark: Collection[Cell]) -> str:
    half, ground = timber.pitch / 2000, timber.board_z / 1000
    x, y = timber.centre((timber.columns - 1) / 2, (timber.rows - 1) / 2)
    squares = "".join(
        f'<geom {SHOWN} type="box" size="{half} {half} 0.0005" rgba="{DARK if (column, row) in dark else LIGHT}" '
        f'pos="{(2 * column + 1 - timber.columns) * half} {(timber.rows - 1 - 2 * row) * half} -0.0005"/>'
        for column in range(timber.columns)
        for row in range(timber.rows)
    )
    frame = f"{timber.columns * half + 0.01} {timber.rows * half + 0.01} 0.004"
    return f"""
    <body pos="{x / 1000} {y / 1000} {ground}" euler="0 0 {timber.turned_deg}">
      <geom {SHOWN} type="box" size="{frame}" pos="0 0 -0.0045" rgba="0.30 0.17 0.10 1"/>{squares}
    </body>"""


def _tray(timber: Timber, slots: Sequence[tuple[float, float]]) -> str:
    """A plate with a mark for each slot, as high as the board."""
    if not slots:
        return ""
    ground, wide = timber.board_z / 1000, timber.diameter / 2000
    low, high = np.min(slots, axis=0) / 1000, np.max(slots, axis=0) / 1000
    (x, y), (across, along) = (low + high) / 2, (high - low) / 2 + wide + 0.004
    plate = f'size="{across} {along} 0.004" pos="{x} {y} {ground - 0.0045}" rgba="0.52 0.55 0.58 1"'
    marks = "".join(
        f'<geom {SHOWN} type="cylinder" size="{wide} 0.0004" pos="{x / 1000} {y / 1000} {ground - 0.0005}" '
        'rgba="0.42 0.45 0.48 1"/>'
        for x, y in slots
    )
    return f'<geom {SHOWN} type="box" {plate}/>{marks}'


def _gripper(timber: Timber) -> str:
    """A beam that goes along y, a carriage on it, a spindle in that, two fingers: only these touch anything.

    They stand askew, where a piece has most room on any board.
    """
    off, length = timber.diameter / 2000 + CLEAR_MM / 1000 + 0.0015, 0.014
    fingers = "".join(
        f"""
          <body name="{name}" euler="0 0 {turned}" gravcomp="1">
            <joint name="{name}" type="slide" axis="-1 0 0" damping="40"/>
            <geom type="box" size="0.0015 0.005 {length}" pos="{off} 0 {length - BELOW_MM / 1000}"
              friction="1 0.005 0.0001" density="5000" rgba="0.15 0.16 0.18 1"/>
          </body>"""
        for name, turned in (("left", 45), ("right", 225))
    )
    bar = f'type="box" rgba="{STEEL}"'
    return f"""
    <body name="beam" gravcomp="1">
      <joint name="y" type="slide" axis="0 1 0"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
      <geom {SHOWN} {bar} size="0.33 0.008 0.008" pos="-0.3 0.03 0.09"/>
      <body name="carriage" gravcomp="1">
        <joint name="x" type="slide" axis="1 0 0"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
        <geom {SHOWN} type="box" rgba="0.20 0.35 0.55 1" size="0.022 0.02 0.022" pos="0 0.03 0.09"/>
        <body name="spindle" gravcomp="1">
          <joint name="z" type="slide" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
          <geom {SHOWN} {bar} size="0.006 0.006 0.06" pos="0 0.008 0.085"/>
          <geom {SHOWN} {bar} size="0.024 0.008 0.004" pos="0 0 0.028" euler="0 0 45"/>{fingers}
        </body>
      </body>
    </body>"""
