"""All that a club knows of its stations, boards and games: one value, and what each message makes of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from station.club.messages import (
    BoardsTold,
    BoardTold,
    Cleared,
    Happened,
    Key,
    Place,
    Recorded,
    State,
    StateTold,
    StationTold,
    Told,
)
from station.club.record import Known, adopt, hear

MOST_BOARDS = 2000
"""Boards that a club shows; those beyond are left out."""


@dataclass(frozen=True, slots=True)
class StationNow:
    """A station: whether it and its bridge are there, since when (UTC), and which boards it is configured with."""

    online: Mapping[str, bool] = field(default_factory=dict)
    since: str = ""
    boards: frozenset[str] | None = None

    @property
    def is_online(self) -> bool:
        """Whether all that tell of it say so."""
        return bool(self.online) and all(self.online.values())


@dataclass(frozen=True, slots=True)
class BoardNow:
    """A board: its latest state, when it came (UTC), its game, and whether its hardware answers."""

    state: State | None = None
    heard: str = ""
    game: str = ""
    is_online: bool = True


@dataclass(frozen=True, slots=True)
class Club:
    """Stations, boards, and the games that are played now or were heard of lately."""

    stations: Mapping[str, StationNow] = field(default_factory=dict)
    boards: Mapping[Place, BoardNow] = field(default_factory=dict)
    games: Mapping[Key, Known] = field(default_factory=dict)

    def current(self, place: Place) -> Known | None:
        """The game at a board."""
        board = self.boards.get(place)
        return self.games.get(Key(place, board.game)) if board else None

    def is_shown(self, place: Place) -> bool:
        """Whether a board belongs on the wall: its station is configured with it."""
        station = self.stations.get(place.station)
        return place in self.boards and (station is None or station.boards is None or place.board in station.boards)


def game_of(told: Told) -> Key | None:
    """The game that a message is about, which must be among the club's games before it is heard."""
    match told:
        case Happened(key=key) | Recorded(key=key):
            return key
        case StateTold(place=place, state=state):
            return Key(place, state.game)
    return None


def taken(club: Club, told: Told, now: str) -> Club:
    """The club after a message; `now` is UTC."""
    match told:
        case Happened(key=key):
            return _with_game(_met(club, key), hear(club.games.get(key, Known(key)), told))
        case Recorded(key=key):
            return _with_game(_met(club, key), adopt(club.games.get(key, Known(key)), told))
        case StateTold():
            return _with_state(club, told, now)
        case BoardTold(place=place, is_online=is_online):
            return _with_board(club, place, replace(club.boards.get(place, BoardNow()), is_online=is_online))
        case StationTold(station=name, by=by, is_online=is_online):
            station = club.stations.get(name, StationNow())
            after = replace(station, online={**station.online, by: is_online})
            after = after if after.is_online == station.is_online and station.online else replace(after, since=now)
            return replace(club, stations={**club.stations, name: after})
        case BoardsTold(station=name, boards=boards):
            station = replace(club.stations.get(name, StationNow()), boards=boards)
            return replace(club, stations={**club.stations, name: station})
        case Cleared():
            return _without(club, told)


def without_games(club: Club, keys: Iterable[Key]) -> Club:
    """The club without games that it need not keep in mind: those of no board, which the archive has."""
    gone = {key for key in keys if key in club.games and club.boards.get(key.place, BoardNow()).game != key.game}
    return replace(club, games={key: known for key, known in club.games.items() if key not in gone}) if gone else club


def _with_game(club: Club, known: Known) -> Club:
    if known.key not in club.games and known.key.place not in club.boards:
        return club  # a board beyond those that are shown
    return replace(club, games={**club.games, known.key: known})


def _met(club: Club, key: Key) -> Club:
    """The club, in which the later game of a board is the one on it."""
    board = club.boards.get(key.place, BoardNow())
    return (
        club if _order(board.game) >= _order(key.game) else _with_board(club, key.place, replace(board, game=key.game))
    )


def _with_board(club: Club, place: Place, board: BoardNow) -> Club:
    if place not in club.boards and len(club.boards) >= MOST_BOARDS:
        return club
    return replace(club, boards={**club.boards, place: board})


def _with_state(club: Club, told: StateTold, now: str) -> Club:
    club = _met(club, Key(told.place, told.state.game))
    board = club.boards.get(told.place)
    if board is None or (board.state is not None and _age(board.state) > _age(told.state)):
        return club
    return _with_board(club, told.place, replace(board, state=told.state, heard=now))


def _without(club: Club, told: Cleared) -> Club:
    """A station or a board that was taken away: its retained topics were cleared."""
    gone = [
        place
        for place in club.boards
        if place.station == told.station and (told.board is None or place.board == told.board)
    ]
    boards = {place: board for place, board in club.boards.items() if place not in gone}
    stations = {name: one for name, one in club.stations.items() if told.board is not None or name != told.station}
    return replace(club, boards=boards, stations=stations)


def _age(state: State) -> tuple[str, tuple[str, int], int]:
    """States in the order in which they were: starts of the station, games, events."""
    return state.boot, _order(state.game), state.seq


def _order(game: str) -> tuple[str, int]:
    """Games of a board in the order in which they began: `<start of the station>-<number>`."""
    boot, _, number = game.rpartition("-")
    return boot, int(number) if number.isdecimal() and len(number) < 10 else 0
