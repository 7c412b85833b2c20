"""How a board and its pieces look: timber, paint, size of the men."""

from __future__ import annotations

from dataclasses import dataclass, replace

from numpy.random import Generator

from vision.simulator.wood import Colour


@dataclass(frozen=True, slots=True)
class Look:
    """Colours are those of the materials in white light; lengths in sides of a square."""

    light: Colour
    dark: Colour
    """The squares'; alike on a board that is no chequer, whose squares are told apart by lines."""
    frame: Colour
    table: Colour
    white: Colour
    black: Colour
    """The pieces'."""
    lines: bool = False
    """Whether lines are drawn around the squares."""
    contrast: float = 0.10
    """Of the grain."""
    frame_width: float = 0.6
    radius: float = 0.39
    thick: float = 0.2
    rings: int = 2
    gloss: float = 0.25
    """How much of a lamp is mirrored."""
    dark_parity: int = 1
    """(row + column) % 2 of the darker squares."""


LOOKS = {
    "maple": Look((150, 200, 232), (42, 74, 120), (30, 50, 84), (78, 112, 150), (150, 202, 232), (46, 54, 72)),
    "painted": Look(
        (165, 212, 236), (34, 34, 36), (118, 168, 208), (96, 92, 98), (140, 190, 222), (66, 70, 84), contrast=0.07
    ),
    "mahogany": Look((128, 176, 212), (32, 48, 100), (44, 78, 128), (58, 84, 118), (172, 214, 236), (42, 44, 52)),
    "plain": Look(
        (84, 136, 184), (84, 136, 184), (40, 62, 100), (70, 78, 90), (176, 216, 236), (42, 44, 52), lines=True
    ),
}
"""By name; `plain` is a Turkish board."""


def varied(look: Look, chance: Generator) -> Look:
    """One of the boards that look much like this one."""

    def near(colour: Colour) -> Colour:
        lighter = float(chance.uniform(0.9, 1.1))
        blue, green, red = (min(250.0, part * lighter * float(chance.uniform(0.95, 1.05))) for part in colour)
        return blue, green, red

    light = near(look.light)
    return replace(
        look,
        light=light,
        dark=light if look.lines else near(look.dark),
        frame=near(look.frame),
        table=near(look.table),
        white=near(look.white),
        black=near(look.black),
        contrast=look.contrast * float(chance.uniform(0.7, 1.5)),
        frame_width=float(chance.uniform(0.35, 0.9)),
        radius=float(chance.uniform(0.36, 0.42)),
        thick=float(chance.uniform(0.15, 0.26)),
        rings=int(chance.integers(0, 4)),
        gloss=look.gloss * float(chance.uniform(0.4, 1.6)),
    )
