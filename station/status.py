"""A session as MQTT and the page are told of it: plain data, a function of the session."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

import msgspec

from engine.notation import square_name, square_names
from engine.pdn import PdnGame, write_pdn
from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN, Piece, Position, Side
from engine.rules import rules_for
from engine.ruleset import Ruleset, load_ruleset, variant_names, write_ruleset
from engine.view import ANYTHING, BoardView, possible_by
from station.announcements import MoveObject, fen_of, move_object
from station.arm_prompts import may_arm, may_set_up, says, why
from station.battery import battery_warning
from station.board_clock import board_clock, board_clock_ms
from station.clock import control_text
from station.composing import position_of, what_is_wrong
from station.emergency import stop_warning
from station.guidance import Guidance, choices, guide
from station.handling.arm import tray_names
from station.keeping_time import flag_ms, left_ms
from station.phases import Composing, Over, name_of
from station.settings import preset_of
from station.squares import silent
from station.state import Session
from station.touching import may_adjust

_CONTENT_NAMES: dict[Piece, str] = {
    EMPTY: "empty",
    WHITE_MAN: "white_man",
    WHITE_KING: "white_king",
    BLACK_MAN: "black_man",
    BLACK_KING: "black_king",
}


def state(session: Session) -> dict[str, Any]:
    """The `state` topic: what is going on, in short."""
    game, guidance = session.game, guide(session)
    return {
        "game": session.game_id,
        "variant": game.ruleset.name,
        "phase": phase_name(session),
        "turn": str(session.turn),
        "ply": game.ply,
        "last_move": _plain(last_move(session)),
        "result": result(session),
        "guidance": _guidance(session, guidance),
        "clocks_ms": left_ms(session) or board_clock_ms(session),
        "clock": _clock(session) or board_clock(session),
        "draw": _draw(session),
        "players": players(session),
        "problem": session.problem or None,
        "battery": battery(session),
        "stop": stop_warning(session),
        "lamps": session.lamps,
        **({} if session.arm is None else {"arm": arm(session)}),
        "seq": session.seq,
        "boot": session.boot,
    }


def _clock(session: Session) -> dict[str, Any] | None:
    """The time control and whose clock runs (nobody's while it does not count); None where no time is kept."""
    control = session.settings.clock
    if session.clocks is None or control is None:
        return None
    runs = session.clocks.running if flag_ms(session) is not None else None
    periods = {"periods": control.periods, "period_ms": control.period_ms} if control.periods else {}
    return {"control": control_text(control), "running": None if runs is None else str(runs), **periods}


def _play(session: Session) -> dict[str, Any]:
    """How turns end and draws come about, touch-move and the waiting times; `pace` is empty for times of its own."""
    settings = session.settings
    times = _plain(settings.pace)
    return {
        "confirm": settings.confirm,
        "draws": settings.draws,
        "touch_move": settings.touch_move,
        "pace": preset_of(settings.pace),
        "times_ms": times,
    }


def _draw(session: Session) -> dict[str, Any]:
    """Who offers a draw, and by which rule one may be claimed."""
    claim = session.claim
    return {
        "offered_by": None if session.offer is None else str(session.offer),
        "claim": None if claim is None else {"name": claim.reason, "article": claim.article},
    }


def battery(session: Session) -> dict[str, Any] | None:
    """How full the board's battery is, and what people are told when it is low; None for a board that says nothing."""
    if session.battery is None:
        return None
    return {**_plain(session.battery), "warning": battery_warning(session)}


def position(session: Session) -> dict[str, Any]:
    """The `position` topic: the game's position, and what the board's sensors do not rule out."""
    ruleset = session.game.ruleset
    view = session.memory.view
    return {
        "variant": ruleset.name,
        "fen": fen_of(session.game.position, ruleset),
        "seen": seen(view, ruleset) if view else {},
        "seq": session.seq,
    }


def game(session: Session) -> dict[str, Any]:
    """The `game` topic: the record so far, with everything that event `seq` and those before it have done to it."""
    ruleset = session.game.ruleset
    return {
        "game": session.game_id,
        "seq": session.seq,
        "variant": ruleset.name,
        "start_fen": fen_of(session.game.start, ruleset),
        "players": players(session),
        "pdn": pdn(session),
        "moves": [_plain(move) for move in moves(session)],
        "result": result(session),
        **_opening(session),
        **_own_rules(ruleset),
    }


def snapshot(session: Session) -> dict[str, Any]:
    """Everything the page shows of one board."""
    ruleset = session.game.ruleset
    return {
        "board": session.settings.board,
        "title": session.texts.title(ruleset),
        "geometry": geometry(ruleset),
        "state": state(session),
        "position": position(session),
        "contents": contents(session.game.position, ruleset),
        "moves": [move.text for move in moves(session)],
        "device": _plain(session.device),
        "sensors": sensors(session),
        **_composing(session),
        "play": _play(session),
        **_touch(session),
        **_start(session),
        **_opening(session),
        **beneath(session.game.position, ruleset),
        **_house_rules(session),
    }


def sensors(session: Session) -> dict[str, list[str]]:
    """Squares whose sensors flicker, and the one that is read around."""
    ruleset = session.game.ruleset
    dead = silent(session)
    return {kind: [square_name(s, ruleset) for s in found] for kind, found in (("weak", session.weak), ("dead", dead))}


def _touch(session: Session) -> dict[str, Any]:
    """Where touch-move is played: whether "I adjust" may be said, whether it was, and the piece that was touched."""
    if not session.settings.touch_move:
        return {}
    touched = None if session.touched is None else square_name(session.touched, session.game.ruleset)
    found = {"may_adjust": may_adjust(session), "adjusting": session.adjusting, "touched": touched}
    return {"touch": found}


def _composing(session: Session) -> dict[str, Any]:
    """A position that is being set up by hand: its steps, what is understood of it, and what is wrong with it."""
    phase = session.active
    if not isinstance(phase, Composing):
        return {}
    laid, wrong = position_of(session, phase), what_is_wrong(session, phase)
    found = {
        "step": phase.step,
        "steps": phase.steps,
        "turn": str(phase.turn),
        "fen": fen_of(laid, session.game.ruleset),
        "contents": contents(laid, session.game.ruleset),
        "problem": wrong[0] if wrong else None,
    }
    return {"set_up": found}


def beneath(standing: Position, ruleset: Ruleset) -> dict[str, Any]:
    """`towers`: what stands beneath each top piece, from the bottom upwards; nothing where there are none."""
    found = {
        square_name(square, ruleset): [_CONTENT_NAMES[piece] for piece in pieces]
        for square, pieces in enumerate(standing.towers.beneath if standing.towers else ())
        if pieces
    }
    return {"towers": found} if found else {}


def _opening(session: Session) -> dict[str, str]:
    """Table and label of the opening that was drawn, when one was."""
    return {"opening": session.opening} if session.opening else {}


def _house_rules(session: Session) -> dict[str, Any]:
    """What a reader cannot know by name: the game's rules as TOML, and house rules that a new game may be played by."""
    ruleset = session.game.ruleset
    house = [
        {"name": other.name, "title": other.title}
        for other in session.settings.rulesets
        if other.name not in variant_names() and other.geometry.cells == ruleset.geometry.cells
    ]
    return {**_own_rules(ruleset), **({"house_rules": house} if house else {})}


def _own_rules(ruleset: Ruleset) -> dict[str, str]:
    """The rules as TOML, left out where a reader knows them by name."""
    built_in = ruleset.name in variant_names() and ruleset == load_ruleset(ruleset.name)
    return {} if built_in else {"rules": _rules_text(ruleset)}


@lru_cache(maxsize=64)
def _rules_text(ruleset: Ruleset) -> str:
    return write_ruleset(ruleset)


def _start(session: Session) -> dict[str, str]:
    """The position that the game began from, when it is not the variant's."""
    start = session.game.start
    usual = start.diagram == _usual_start(session.game.ruleset).diagram
    return {} if usual else {"start_fen": fen_of(start, session.game.ruleset)}


@lru_cache(maxsize=64)
def _usual_start(ruleset: Ruleset) -> Position:
    return rules_for(ruleset).start()


def phase_name(session: Session) -> str:
    """The phase as programs read it: `setting_up`, `turn`, `waiting`..."""
    return phase_text(name_of(session.phase))


@cache
def phase_text(name: str) -> str:
    """A phase's name as programs read it."""
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()


def players(session: Session) -> dict[str, str]:
    """Who plays each side."""
    return {str(side): session.settings.player(side) for side in Side}


def result(session: Session) -> str:
    """The result as the variant's PDN writes it; `*` while there is none."""
    active = session.active
    return session.game.result_text(active.outcome if isinstance(active, Over) else None)


def moves(session: Session) -> tuple[MoveObject, ...]:
    """The record's moves."""
    record = session.game
    legal = (rules_for(record.ruleset).legal_moves(before) for before in record.positions[:-1])
    return tuple(move_object(move, allowed, record.ruleset) for move, allowed in zip(record.moves, legal, strict=True))


def last_move(session: Session) -> MoveObject | None:
    """The record's last move."""
    record = session.game
    if not record.moves:
        return None
    return move_object(record.moves[-1], rules_for(record.ruleset).legal_moves(record.positions[-2]), record.ruleset)


def pdn(session: Session) -> str:
    """The record as PDN."""
    record, settings = session.game, session.settings
    tags = {"Event": settings.board, "White": settings.name_of(Side.WHITE), "Black": settings.name_of(Side.BLACK)}
    if session.opening:
        tags["Opening"] = session.opening
    return write_pdn(PdnGame(tags, record.ruleset, record.start, record.moves, result(session)))


@lru_cache(maxsize=64)
def geometry(ruleset: Ruleset) -> dict[str, Any]:
    """Columns, rows, and every playing square with its name and cell; row 0 is Black's side."""
    cells = dict(zip(square_names(ruleset), ruleset.geometry.cells, strict=True))
    return {"columns": ruleset.columns, "rows": ruleset.rows, "squares": cells}


def contents(standing: Position, ruleset: Ruleset) -> dict[str, str]:
    """What stands on each square that is not empty."""
    named = zip(square_names(ruleset), standing.contents, strict=True)
    return {name: _CONTENT_NAMES[piece] for name, piece in named if piece is not EMPTY}


def seen(view: BoardView, ruleset: Ruleset) -> dict[str, list[str]]:
    """For each square of which something is known, the contents that the sensor does not rule out."""
    possible = zip(square_names(ruleset), map(possible_by, view.seen), strict=True)
    return {name: list(_names_in(contents)) for name, contents in possible if contents != ANYTHING}


@cache
def _names_in(possible: Piece) -> tuple[str, ...]:
    return tuple(name for piece, name in _CONTENT_NAMES.items() if piece & possible)


def _guidance(session: Session, guidance: Guidance) -> dict[str, Any]:
    ruleset = session.game.ruleset
    squares = {square_name(square, ruleset): str(role) for square, role in guidance.cues}
    told = {"prompt": guidance.key, "sentence": guidance.sentence, "squares": squares}
    return {**told, "choices": list(choices(session))} if guidance.key == "which" else told


def _plain(value: object) -> Any:
    return msgspec.to_builtins(value)


def arm(session: Session) -> dict[str, Any] | None:
    """What the arm is doing, why it does not move, and its tray; None where there is none."""
    found = session.arm
    if found is None:
        return None
    return {
        "driver": found.settings.driver,
        "name": found.name or None,
        "stage": phase_text(type(found.stage).__name__),
        "armed": found.is_armed,
        "says": says(session),
        "may_arm": may_arm(session) or may_set_up(session),
        "problem": why(session) or None,
        "tray": list(tray_names(found.tray)),
    }
