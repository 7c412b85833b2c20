"""A game put together from a board's `event` topic, by a reader who believes nothing."""

from __future__ import annotations

import re
from typing import Any

MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
MOVE_KEYS = {"text", "from", "path", "captured", "to", "promotes"}
TYPES = {
    *("game_started", "move", "revised", "taken_back", "illegal", "board_differs", "board_restored", "prompt"),
    *("game_over", "device_lost", "device_back", "arm_step", "halted"),
}


def effect(move: dict[str, Any]) -> tuple[str, str, frozenset[str], bool]:
    """What a move leaves on the board."""
    return move["from"], move["to"], frozenset(move["captured"]), move["promotes"]


def once(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Events with those that came again left out: they are delivered at least once."""
    return list({event["id"]: event for event in reversed(events)}.values())[::-1]


def games_in(events: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Events by game, each game's numbered without gaps."""
    games: dict[str, list[dict[str, Any]]] = {}
    for event in once(events):
        assert event["type"] in TYPES
        assert MOMENT.fullmatch(event["at"]), event
        games.setdefault(event["game"], []).append(event)
    for game in games.values():
        assert [event["seq"] for event in game] == list(range(1, len(game) + 1))
        assert [event["at"] for event in game] == sorted(event["at"] for event in game)
    return games


def moves_of(game: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The moves that stand at the end of a game's events."""
    record: list[dict[str, Any]] = []
    for event in game:
        match event["type"]:
            case "move":
                assert {*MOVE_KEYS, "ply", "side", "by", "fen", "elapsed_ms"} <= event.keys()
                assert event["ply"] == len(record) + 1
                assert event["side"] == ("white", "black")[len(record) % 2]
                assert event["by"] in ("person", "engine")
                assert event["elapsed_ms"] >= 0
                record.append(event)
            case "revised":
                assert event["ply"] == len(record)
                assert event["old"].keys() & event["new"].keys() >= MOVE_KEYS
                assert effect(event["old"]) == effect(record[-1])
                record[-1] = {**record[-1], **event["new"], "fen": event.get("fen")}
            case "taken_back":
                assert 1 <= event["plies"] <= len(record)
                del record[len(record) - event["plies"] :]
    return record
