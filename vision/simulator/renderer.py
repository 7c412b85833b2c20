"""Pictures of a board with pieces, arms over it, and light that wanders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.simulator.arm import Arm, arm_shadow, draw_arm
from vision.simulator.lens import Camera
from vision.simulator.light import Light, falling, mirrored
from vision.simulator.looks import Look
from vision.simulator.pieces import Mask, Standing, circle, draw, height, shadow
from vision.simulator.sensor import Brightness, Noise, Sensor, developed
from vision.simulator.table import AROUND, SIDE, table
from vision.simulator.wood import Texture

_COARSE = 4
"""The shadow of an arm is drawn so many times smaller."""
_STAMPS = 200
"""Drawn pieces that are kept."""


@dataclass(frozen=True, slots=True)
class _Stamp:
    """The part of a picture in which a piece is seen, and how much of each pixel it covers, 0 to 1."""

    rows: slice
    columns: slice
    drawn: Texture
    cover: Brightness

    @staticmethod
    def of(piece: Standing, camera: Camera, look: Look, light: Light) -> _Stamp:
        """Draw a piece by itself, on its own colour so that its edges blend with whatever lies beneath."""
        top = piece.z + height(piece, look)
        seen = camera.project(np.concatenate([circle((piece.x, piece.y, z), look.radius) for z in (piece.z, top)]))
        left, upper = np.maximum(np.floor(seen.min(axis=0)).astype(int) - 2, 0)
        right, lower = np.maximum(np.ceil(seen.max(axis=0)).astype(int) + 3, 0)
        columns, rows = slice(left, min(right, camera.width)), slice(upper, min(lower, camera.height))
        shape = (max(0, rows.stop - rows.start), max(0, columns.stop - columns.start))
        drawn, mask = np.zeros((*shape, 3), np.uint8), np.zeros(shape, np.uint8)
        if drawn.size:
            draw(drawn, mask, piece, replace(camera, corner=(int(left), int(upper))), look, light)
        return _Stamp(rows, columns, drawn, _share(mask))

    def onto(self, drawn: Texture, covered: Mask) -> None:
        """Lay it over a picture."""
        part, mask = drawn[self.rows, self.columns], covered[self.rows, self.columns]
        if self.drawn.size:
            part[:] = part * (1 - self.cover[..., None]) + self.drawn
            np.maximum(mask, np.asarray(255 * self.cover, np.uint8), out=mask)


class Renderer:
    """One board under one light; what does not change from picture to picture is drawn once."""

    def __init__(
        self,
        columns: int,
        rows: int,
        *,
        camera: Camera,
        look: Look,
        light: Light,
        sensor: Sensor | None = None,
        seed: int = 0,
    ) -> None:
        self.columns, self.rows, self.look, self.light = columns, rows, look, light
        self.sensor = sensor or Sensor()
        self._table = table(look, columns, rows, seed)
        self._noise = Noise(self.sensor, camera.height, camera.width, seed)
        self._number = 0
        self._aimed: Camera | None = None
        self._standing: tuple[Standing, ...] | None = None
        self._stamps: dict[Standing, _Stamp] = {}
        self.aim(camera)

    def aim(self, camera: Camera) -> None:
        """The camera is somewhere else from now on."""
        if camera == self._aimed:
            return
        self._aimed, self._standing, self._stamps = camera, None, {}
        ground = camera.ground()
        points = np.asarray(ground, np.float64)
        at = np.float32(SIDE) * (ground + np.float32(AROUND)) - np.float32(0.5)
        # Where the picture is coarser than the texture, single points of it would be picked out.
        coarse = SIDE / camera.side(self.columns / 2, self.rows / 2)
        texture = cv2.GaussianBlur(self._table, (0, 0), 0.45 * coarse) if coarse > 1 else self._table
        self._bare = np.asarray(
            cv2.remap(texture, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT), np.uint8
        )
        middle = (self.columns / 2, self.rows / 2)
        y, x = np.mgrid[-1 : 1 : camera.height * 1j, -1 : 1 : camera.width * 1j]
        self._vignette = np.asarray(1 - self.sensor.vignette * (x * x + y * y) / 2, np.float32)
        self._lamp = np.asarray(self.light.direct * falling(self.light, points, middle), np.float32)
        self._mirror = np.asarray(
            self.light.direct * self.look.gloss * mirrored(self.light, camera, points), np.float32
        )

    @property
    def camera(self) -> Camera:
        """From where the board is seen now."""
        assert self._aimed is not None
        return self._aimed

    def picture(self, standing: Sequence[Standing], arms: Sequence[Arm] = (), at_ms: int = 0) -> Texture:
        """What the camera sees at a time. Shape (height, width, 3)."""
        self._stand(tuple(standing))
        light = self._lit
        for arm in arms:
            light = self._under(light, arm)
        self._number += 1
        gains = np.array(self.light.gains(at_ms), np.float32)
        return developed(np.multiply(light, gains), self.sensor, self._noise.over(self._number))

    def _stand(self, standing: tuple[Standing, ...]) -> None:
        """Draw the pieces, unless they are as they were."""
        if standing == self._standing:
            return
        self._standing = standing
        camera = self.camera
        drawn, covered = self._bare.copy(), np.zeros(self._bare.shape[:2], np.uint8)
        dark, close = covered.copy(), covered.copy()
        for piece in standing:
            shadow(dark, piece, camera, self.look, self.light)
        away = np.array(camera.at)
        for piece in sorted(standing, key=lambda one: -float(np.hypot(one.x - away[0], one.y - away[1]))):
            self._stamp(piece).onto(drawn, covered)
        side = camera.side(self.columns / 2, self.rows / 2)
        cv2.GaussianBlur(dark, (0, 0), max(0.3, self.light.soft * self.look.thick * side), dst=dark)
        cv2.GaussianBlur(covered, (0, 0), 0.12 * side, dst=close)
        free = 1 - _share(covered)
        shade = np.minimum(_share(dark) * free, 1)
        self._direct, self._lit = self._shone_on(drawn, shade, 0.35 * _share(close) * free, free)

    def _stamp(self, piece: Standing) -> _Stamp:
        """What is seen of a piece: drawn once, as long as it stands there."""
        stamp = self._stamps.pop(piece, None) or _Stamp.of(piece, self.camera, self.look, self.light)
        self._stamps[piece] = stamp
        if len(self._stamps) > _STAMPS:
            del self._stamps[next(iter(self._stamps))]
        return stamp

    def _shone_on(
        self, drawn: Texture, shade: Brightness, close: Brightness, free: Brightness
    ) -> tuple[Brightness, Brightness]:
        """What comes from the lamp, and all that comes from a surface."""
        colour = _linear(drawn) * self._vignette[..., None]
        lamp = (self._lamp * (1 - shade))[..., None]
        mirror = (self._mirror * (1 - shade) * (0.3 + 0.7 * free) * self._vignette)[..., None]
        direct = colour * lamp + mirror
        return direct, direct + colour * (self.light.ambient * (1 - close))[..., None]

    def _under(self, light: Brightness, arm: Arm) -> Brightness:
        """The same light with an arm over the board."""
        camera = self.camera
        tall, wide = light.shape[:2]
        dark = np.zeros((tall // _COARSE, wide // _COARSE), np.uint8)
        arm_shadow(dark, arm, camera, self.light)
        side = camera.side(arm.x, arm.y)
        blurred = cv2.GaussianBlur(dark, (0, 0), max(0.4, self.light.soft * (arm.z + 1) * side / _COARSE))
        shade = _share(np.asarray(cv2.resize(blurred, (wide, tall)), np.uint8))
        light = light - self._direct * shade[..., None]
        if arm.holding is not None:
            held, cover = np.zeros_like(self._bare), np.zeros((tall, wide), np.uint8)
            _Stamp.of(arm.holding, camera, self.look, self.light).onto(held, cover)
            light = self._before(light, held, cover, arm)
        drawn, mask = np.zeros((tall, wide, 3), np.uint8), np.zeros((tall, wide), np.uint8)
        draw_arm(drawn, mask, arm, camera, self.light)
        return self._before(light, drawn, mask, arm)

    def _before(self, light: Brightness, drawn: Texture, mask: Mask, arm: Arm) -> Brightness:
        """Something in front of all else, blurred by its movement."""
        x, y, width, height = cv2.boundingRect(mask)
        if not width:
            return light
        kernel = self._smear(arm)
        room = max(kernel.shape)
        rows = slice(max(0, y - room), y + height + room)
        columns = slice(max(0, x - room), x + width + room)
        part, cover = drawn[rows, columns], _share(mask[rows, columns])
        bright = _linear(part) * ((self._lamp[rows, columns] * 1.1 + self.light.ambient)[..., None])
        bright = bright * cover[..., None]
        if kernel.size > 1:
            bright = np.asarray(cv2.filter2D(bright, -1, kernel), np.float32)
            cover = np.asarray(cv2.filter2D(cover, -1, kernel), np.float32)
        light = light.copy()
        light[rows, columns] = light[rows, columns] * (1 - cover[..., None]) + bright
        return light

    def _smear(self, arm: Arm) -> Brightness:
        """A line as long as the arm moves in the 12 ms of an exposure."""
        here = np.array([(arm.x, arm.y, arm.z), (arm.x + 0.012 * arm.speed[0], arm.y + 0.012 * arm.speed[1], arm.z)])
        first, last = self.camera.project(here)
        reach = int(np.ceil(np.abs(last - first).max()))
        if reach < 2:
            return np.ones((1, 1), np.float32)
        reach = min(reach, 10)
        kernel = np.zeros((2 * reach + 1, 2 * reach + 1), np.uint8)
        offset = np.clip(np.rint((last - first) / 2), -reach, reach).astype(int)
        cv2.line(kernel, tuple((reach - offset).tolist()), tuple((reach + offset).tolist()), (255,), 1, cv2.LINE_AA)
        return np.asarray(kernel / kernel.sum(), np.float32)


def _linear(drawn: Texture) -> Brightness:
    """How much of the light that falls on them colours give back."""
    share = np.asarray(drawn, np.float32)
    return share * share * np.float32(1 / 65025)


def _share(mask: NDArray[np.uint8]) -> Brightness:
    return np.asarray(mask, np.float32) * np.float32(1 / 255)
