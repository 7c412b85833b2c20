"""The phases of a session and the transitions between them, as one table."""

from __future__ import annotations

from dataclasses import dataclass

from engine.game import Outcome
from engine.position import Move, Piece, Position, Side


@dataclass(frozen=True, slots=True)
class SettingUp:
    """The board is to be made like `target`; play goes on from there."""

    target: Position


@dataclass(frozen=True, slots=True)
class Turn:
    """A person at the board is to move."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A player who is not at the board is choosing; the answer carries this number."""

    request: int


@dataclass(frozen=True, slots=True)
class Answering:
    """A chosen move is to be made on the board, by the lamps' advice or by an arm."""

    move: Move
    shown_ms: int
    """When it is first shown: the reply hold after the move it answers."""


@dataclass(frozen=True, slots=True)
class Composing:
    """A position is put together by hand, step by step; the game before it is kept until somebody accepts it."""

    before: ActivePhase
    """What it interrupted."""
    steps: tuple[str, ...]
    """`clear`, a kind of pieces (`white_man`...), `pieces`, `kings`, `turn`: what the board's sensors need."""
    laid: tuple[Piece, ...]
    """What the steps before this one have laid."""
    turn: Side
    """Who is to move in the new position."""
    at: int = 0
    asked: bool = True
    """Whether somebody asked for it; else the board was emptied, and it is left when the game's position stands."""

    @property
    def step(self) -> str:
        """The step that is being laid."""
        return self.steps[self.at]


@dataclass(frozen=True, slots=True)
class Paused:
    """Play rests; it goes on with what it interrupted."""

    interrupted: ActivePhase
    reason: str
    """`device` (the board does not answer), `asked`, or `player` (who chose a move that is not legal)."""
    before: str = ""
    """The reason for which play rested already when the board was lost; then it goes on resting."""


@dataclass(frozen=True, slots=True)
class Over:
    """The game has ended."""

    outcome: Outcome


ActivePhase = SettingUp | Turn | Waiting | Answering | Over | Composing
Phase = ActivePhase | Paused

TRANSITIONS: dict[str, tuple[tuple[str, str], ...]] = {
    "SettingUp": (
        ("the board shows the target, a person is to move", "Turn"),
        ("the board shows the target, another player is to move", "Waiting"),
        ("new game or take back asked for", "SettingUp"),
        ("a position is to be set up by hand", "Composing"),
        ("device lost, or pause asked for", "Paused"),
    ),
    "Turn": (
        ("move made, a person is to move", "Turn"),
        ("move made, another player is to move", "Waiting"),
        ("move made, game ended", "Over"),
        ("moves taken back on the board", "Turn"),
        ("moves taken back on the board, another player is to move", "Waiting"),
        ("take back, new game or start position", "SettingUp"),
        ("resignation or agreed draw", "Over"),
        ("a position is to be set up by hand, or the board was emptied", "Composing"),
        ("device lost, or pause asked for", "Paused"),
    ),
    "Waiting": (
        ("player chose", "Answering"),
        ("last move changed on the board", "Waiting"),
        ("moves taken back on the board", "Turn"),
        ("take back, new game or start position", "SettingUp"),
        ("resignation or agreed draw", "Over"),
        ("a position is to be set up by hand, or the board was emptied", "Composing"),
        ("device lost, or pause asked for", "Paused"),
    ),
    "Answering": (
        ("reply made on the board, a person is to move", "Turn"),
        ("reply made on the board, another player is to move", "Waiting"),
        ("reply made on the board, game ended", "Over"),
        ("last move changed on the board", "Waiting"),
        ("moves taken back on the board", "Turn"),
        ("take back, new game or start position", "SettingUp"),
        ("resignation or agreed draw", "Over"),
        ("a position is to be set up by hand, or the board was emptied", "Composing"),
        ("device lost, or pause asked for", "Paused"),
    ),
    "Composing": (
        ("position accepted, or take back, new game or start position", "SettingUp"),
        ("given up, or the game's position stands again", "the phase that was interrupted"),
        ("resignation or agreed draw", "Over"),
        ("device lost, or pause asked for", "Paused"),
    ),
    "Paused": (
        ("device back, or resume asked for", "the phase that was interrupted"),
        ("new game asked for", "SettingUp"),
        ("resignation or agreed draw", "Over"),
    ),
    "Over": (
        ("new game asked for, or start position stands", "SettingUp"),
        ("last move taken back on the board", "Turn"),
        ("a position is to be set up by hand, or the board was emptied", "Composing"),
        ("device lost, or pause asked for", "Paused"),
    ),
}


def name_of(phase: Phase) -> str:
    """The phase's name as status and documents write it."""
    return type(phase).__name__
