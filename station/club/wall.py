"""A board as the wall shows it: plain data, in the shape of the station's own page."""

from __future__ import annotations

from typing import Any

import msgspec

from engine.fen import write_fen
from engine.position import Position
from engine.ruleset import Ruleset
from station.announcements import MoveObject
from station.club.club import BoardNow, Club, StationNow
from station.club.line import Line, positions_of
from station.club.messages import Clock, Place, State
from station.club.record import NO_RESULT
from station.status import beneath, contents, geometry


def name_of(place: Place) -> str:
    """What the page calls a board."""
    return f"{place.station}/{place.board}"


def gone(place: Place) -> dict[str, Any]:
    """What is told of a board that is no longer on the wall."""
    return {"board": name_of(place), "gone": True}


def snapshot(club: Club, place: Place, line: Line | None, age_ms: int = 0) -> dict[str, Any]:
    """All that the wall shows of a board; `age_ms` is how old its state was when it came."""
    board = club.boards.get(place, BoardNow())
    station = club.stations.get(place.station, StationNow())
    known = club.current(place)
    # A state of another game than the one that is known to be at the board is the state of a game before.
    state = board.state if board.state and board.state.game == board.game else None
    return {
        "board": name_of(place),
        "station": place.station,
        "table": place.board,
        "online": station.is_online,
        "since": station.since,
        "hardware": board.is_online,
        "game": board.game,
        "variant": known.head.variant if known else "",
        "result": known.result if known else NO_RESULT,
        "players": {"white": known.head.white, "black": known.head.black} if known else {},
        "opening": known.head.opening if known else "",
        "moves": list(line.texts) if line else [],
        "fault": line.fault if line else "",
        **_told(state, age_ms),
        **_standing(line),
    }


def _told(state: State | None, age_ms: int) -> dict[str, Any]:
    """What only the station knows: phase, clocks, what people are told."""
    if state is None:
        return {"phase": "", "prompt": "", "sentence": "", "problem": "", "clocks": None}
    clocks = None
    if state.clocks_ms is not None:
        clock = msgspec.to_builtins(state.clock or Clock())
        clocks = {"left_ms": state.clocks_ms, "age_ms": age_ms, **clock}
    return {
        "phase": state.phase,
        "prompt": state.guidance.prompt,
        "sentence": state.guidance.sentence,
        "problem": state.problem or "",
        "clocks": clocks,
    }


def _standing(line: Line | None) -> dict[str, Any]:
    """The game's position, as far as it is known."""
    if line is None or line.ruleset is None or line.position is None:
        return {"title": "", "geometry": None, "contents": {}, "state": {"turn": "", "ply": 0, "last_move": None}}
    after = _after(line.ruleset, line.position, line.told)
    return {"title": line.ruleset.title, "geometry": geometry(line.ruleset), **after}


def _after(ruleset: Ruleset, position: Position, told: tuple[MoveObject, ...]) -> dict[str, Any]:
    return {
        "contents": contents(position, ruleset),
        **beneath(position, ruleset),
        "state": {
            "turn": str(position.turn),
            "ply": len(told),
            "last_move": msgspec.to_builtins(told[-1]) if told else None,
        },
    }


def whole_game(line: Line) -> dict[str, Any]:
    """A game of the archive, every position of it, for the page."""
    ruleset = line.ruleset
    if ruleset is None:
        return {"title": "", "geometry": None, "moves": [], "positions": [], "fault": line.fault}
    return {
        "title": ruleset.title,
        "geometry": geometry(ruleset),
        "moves": list(line.texts),
        "positions": [
            {"fen": write_fen(position, ruleset), **_after(ruleset, position, line.told[:ply])}
            for ply, position in enumerate(positions_of(line))
        ],
        "fault": line.fault,
    }
