"""Games of a club as PDN: of the archive, and of the boards as they stand now."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from engine.errors import NotationError, RulesetError
from engine.fen import read_fen
from engine.pdn import PdnGame, canonical_result, write_pdn
from engine.position import Position, Side
from engine.rules import rules_for
from engine.ruleset import Ruleset
from station.club.line import Line, facts, line_of, ruleset_of
from station.club.record import NO_RESULT, Head, Known
from station.settings import record_name


def pdn_of(game: Mapping[str, Any], event: str) -> str:
    """A game of the archive as PDN 3.0; what could not be followed by the rules is said in a tag `Remark`."""
    head = Head(variant=game["variant"], start_fen=game["start_fen"], rules=game["rules"])
    remark = game["fault"]
    try:
        ruleset = ruleset_of(head)
    except RulesetError:
        return _without_rules(game, event)
    start = rules_for(ruleset).start()
    if game["start_fen"]:
        try:
            start = read_fen(game["start_fen"], ruleset)
        except NotationError as error:
            remark = remark or str(error)
    tags = _tags(game, event) | ({"Remark": remark} if remark else {})
    head_lines = write_pdn(PdnGame(tags, ruleset, start, (), game["result"])).split("\n\n", 1)[0]
    return "\n".join([head_lines, "", *_move_lines(game["moves"].split(), start, ruleset, game["result"]), ""])


def live_pdn_of(known: Known, line: Line | None, event: str) -> str:
    """The game that is being played at a board."""
    station, board = known.key.place
    return pdn_of({**facts(known, line or line_of(known)), "station": station, "board": board}, event)


def _tags(game: Mapping[str, Any], event: str) -> dict[str, str]:
    tags = {
        "Event": event,
        "Site": f"{game['station']}, {game['board']}",
        "Date": game["day"].replace("-", ".") or "????.??.??",
        "White": record_name(game["white"]),
        "Black": record_name(game["black"]),
    }
    more = {"Opening": game["opening"], "TimeControl": game["clock"], "Termination": game["reason"]}
    is_over = game["result"] != NO_RESULT or bool(game["reason"])
    return tags | {name: value for name, value in more.items() if value and (name != "Termination" or is_over)}


def _move_lines(texts: list[str], start: Position, ruleset: Ruleset, result: str) -> list[str]:
    words, turn, number = list[str](), start.turn, 1
    for place, text in enumerate(texts):
        is_first = turn is ruleset.first
        words += [f"{number}." if is_first else f"{number}..."] if is_first or place == 0 else []
        words.append(text)
        number += not is_first
        turn = Side.BLACK if turn is Side.WHITE else Side.WHITE
    words.append(canonical_result(result, ruleset))
    return textwrap.wrap(" ".join(words), 80, break_long_words=False, break_on_hyphens=False)


def _without_rules(game: Mapping[str, Any], event: str) -> str:
    """Tags alone: nobody can write moves by rules that are not known."""
    tags = _tags(game, event) | {"Variant": game["variant"], "Remark": game["fault"], "Result": NO_RESULT}
    plain = {name: " ".join(value.split()).replace("\\", "\\\\").replace('"', '\\"') for name, value in tags.items()}
    return "\n".join([*(f'[{name} "{value}"]' for name, value in plain.items()), "", NO_RESULT, ""])
