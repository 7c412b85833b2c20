"""What is announced to the world, in the shapes that MQTT, the page and the journal share."""

from __future__ import annotations

from typing import Literal

import msgspec

from engine.fen import write_fen
from engine.game import Game
from engine.notation import move_text, square_name
from engine.position import Move, Position
from engine.ruleset import Ruleset


class MoveObject(msgspec.Struct, frozen=True, omit_defaults=True):
    """A move as outsiders read it: squares as the variant writes them.

    `huffed`, which only some house rules know, is what was taken off before the move.
    """

    text: str
    from_square: str = msgspec.field(name="from")
    path: tuple[str, ...]
    captured: tuple[str, ...]
    to: str
    promotes: bool
    huffed: tuple[str, ...] = ()


class GameStarted(msgspec.Struct, frozen=True, tag="game_started", omit_defaults=True):
    """A game has begun; `opening` is table and label of what was drawn, left out when nothing was.

    `clock` is the time control as the configuration writes it (`5+3`), left out when there is none.
    """

    variant: str
    fen: str
    white: str
    black: str
    opening: str = ""
    clock: str = ""


class Moved(msgspec.Struct, frozen=True, tag="move", omit_defaults=True):
    """A move has been made and is in the record; `fen` is the position after it.

    `by` is `person`, `engine`, or `drawn` for the moves of a drawn opening. `clocks_ms` is what each side has left
    after it, left out where nobody's time is kept. `together` is how many
    moves were read from the one frame that showed this one: more than one where hands were too fast to be followed, or
    out of sight.
    """

    ply: int
    side: str
    by: str
    text: str
    from_square: str = msgspec.field(name="from")
    path: tuple[str, ...]
    captured: tuple[str, ...]
    to: str
    promotes: bool
    fen: str
    elapsed_ms: int
    huffed: tuple[str, ...] = ()
    clocks_ms: dict[str, int] | None = None
    together: int = 1


class Revised(msgspec.Struct, frozen=True, tag="revised", omit_defaults=True):
    """The mover changed the last move before the other side acted; `fen` is the position after the new one."""

    ply: int
    old: MoveObject
    new: MoveObject
    fen: str
    clocks_ms: dict[str, int] | None = None


class PlayersChanged(msgspec.Struct, frozen=True, tag="players"):
    """Others play from now on: `person`, `engine:LEVEL` or `hub:COMMAND`."""

    white: str
    black: str


class TakenBack(msgspec.Struct, frozen=True, tag="taken_back"):
    """The last `plies` moves no longer stand; `fen` is the position now."""

    plies: int
    fen: str


class Illegal(msgspec.Struct, frozen=True, tag="illegal"):
    """What stands on the board would be a move that a rule forbids."""

    rule: str
    article: str
    sentence: str
    squares: tuple[str, ...]


class BoardDiffers(msgspec.Struct, frozen=True, tag="board_differs"):
    """The board does not agree with the game on these squares, and no move explains it."""

    squares: tuple[str, ...]


class BoardRestored(msgspec.Struct, frozen=True, tag="board_restored"):
    """The board agrees with the game again."""


class Prompted(msgspec.Struct, frozen=True, tag="prompt"):
    """A person was told what to do next."""

    prompt: str
    sentence: str
    squares: tuple[str, ...]


class GameOver(msgspec.Struct, frozen=True, tag="game_over"):
    """The game has ended."""

    result: str
    reason: str
    article: str


class DrawOffered(msgspec.Struct, frozen=True, tag="draw_offered"):
    """A side offers a draw; it stands until the other side has moved."""

    side: str


class DrawDeclined(msgspec.Struct, frozen=True, tag="draw_declined"):
    """A side does not take the draw that the other has offered: it said so, or it has moved."""

    side: str
    by_moving: bool


class DeviceGone(msgspec.Struct, frozen=True, tag="device_lost"):
    """The board's hardware no longer answers."""

    reason: str


class DeviceReturned(msgspec.Struct, frozen=True, tag="device_back"):
    """The board's hardware answers again."""

    name: str
    unique_id: str


class Halted(msgspec.Struct, frozen=True, tag="halted"):
    """The emergency stop at the board was pressed, or let go."""

    pressed: bool


class ArmStep(msgspec.Struct, frozen=True, tag="arm_step"):
    """The arm has done a step of a move, and the board shows it; `tray` is what lies in each slot then.

    `step` counts from 1 to `steps`; `kind` is `lift`, `place`, `remove`, `fetch`, `slide`, `flip`, `park` or
    `empty_tray`.
    """

    kind: str
    step: int
    steps: int
    tray: tuple[str, ...]


class ArmStopped(msgspec.Struct, frozen=True, tag="arm_stopped"):
    """The arm was stopped in a move; `is_off` when the lamps take over from it."""

    reason: str
    detail: str
    squares: tuple[str, ...]
    is_off: bool


What = (
    GameStarted
    | Moved
    | Revised
    | PlayersChanged
    | TakenBack
    | Illegal
    | BoardDiffers
    | BoardRestored
    | Prompted
    | GameOver
    | DrawOffered
    | DrawDeclined
    | DeviceGone
    | DeviceReturned
    | Halted
    | ArmStep
    | ArmStopped
)


def names(squares: tuple[int, ...], ruleset: Ruleset) -> tuple[str, ...]:
    """Square names as the variant writes them."""
    return tuple(square_name(square, ruleset) for square in squares)


def move_object(move: Move, legal: tuple[Move, ...], ruleset: Ruleset) -> MoveObject:
    """A move among the legal ones of its position, for outsiders."""
    return MoveObject(
        text=move_text(move, legal, ruleset),
        from_square=square_name(move.from_square, ruleset),
        path=names(move.path, ruleset),
        captured=names(move.captured, ruleset),
        to=square_name(move.to_square, ruleset),
        promotes=move.promotes,
        huffed=names(move.huffed, ruleset),
    )


def moved(
    game: Game,
    by: Literal["person", "engine", "drawn"],
    elapsed_ms: int,
    clocks_ms: dict[str, int] | None = None,
    together: int = 1,
) -> Moved:
    """The announcement of a game's last move."""
    before, move = game.positions[-2], game.moves[-1]
    shown = move_object(move, game.rules.legal_moves(before), game.ruleset)
    return Moved(
        ply=game.ply,
        side=str(before.turn),
        by=by,
        text=shown.text,
        from_square=shown.from_square,
        path=shown.path,
        captured=shown.captured,
        to=shown.to,
        promotes=shown.promotes,
        fen=fen_of(game.position, game.ruleset),
        elapsed_ms=elapsed_ms,
        huffed=shown.huffed,
        clocks_ms=clocks_ms,
        together=together,
    )


def fen_of(position: Position, ruleset: Ruleset) -> str:
    """A position as the variant's FEN."""
    return write_fen(position, ruleset)
