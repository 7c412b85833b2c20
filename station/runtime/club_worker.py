"""The club's thread: takes what stations tell, keeps it in the archive, then acknowledges it and shows it.

What was acknowledged is on the disk. While the archive takes nothing, the club goes on in memory and says so; what was
heard meanwhile is written down when it takes something again.
"""

from __future__ import annotations

import hashlib
import platform
import queue
import sys
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial

from station.club.archive import Archive
from station.club.club import Club, game_of, taken, without_games
from station.club.config import ClubConfig
from station.club.database import DatabaseError
from station.club.line import Line, line_of
from station.club.messages import (
    BoardsTold,
    Cleared,
    Happened,
    Key,
    Noise,
    Place,
    Recorded,
    StateTold,
    StationTold,
    Told,
    read,
    topics,
)
from station.club.pdn import live_pdn_of
from station.club.record import Known, joined
from station.club.wall import gone, name_of, snapshot
from station.runtime.broker import GONE, Connected, Delivered, Disconnected, FromBroker, KeepingClient
from station.runtime.clock import Clock, read_wall, wall_text
from station.web import Feed

CLUB = "club"
"""Topic of what the page is told of the club itself."""
RETRY_S = 2.0
"""How long an archive that takes nothing is left alone."""
MOST_AT_ONCE = 500
MOST_KINDS = 100
"""Kinds of messages left out that are named in the log."""
GAP_S = 2.0
"""So long a gap in a game may last before its record is asked for; then again every GAP_AGAIN_S."""
GAP_AGAIN_S = 30.0
MOST_AGE_MS = 24 * 3600 * 1000


class ClubWorker:
    """One thread between the broker, the archive and the page."""

    def __init__(self, config: ClubConfig, archive: Archive, feed: Feed, clock: Clock) -> None:
        self._config, self._archive, self._feed, self._clock = config, archive, feed, clock
        self._base = config.mqtt.base
        self._inbox: queue.SimpleQueue[FromBroker | None] = queue.SimpleQueue()
        self._broker = KeepingClient(config.mqtt, _client_name(config.club.data), self._inbox.put)
        self._club = Club()
        self._lines: dict[Key, Line] = {}
        self._dirty: set[Key] = set()
        """Games that the archive has not as they are."""
        self._unread: set[Key] = set()
        """Games of which the archive could not be asked."""
        self._changed: set[Place] = set()
        self._heard_ms: dict[Place, tuple[int, int]] = {}
        """When the state of a board came, and how old it was then."""
        self._gaps: dict[Place, float] = {}
        """Boards whose game has a gap, and when its record is asked for."""
        self._retry_s = 0.0
        self._noise: Counter[str] = Counter()
        self._broker_says = "not asked yet"
        self._archive_says = ""
        self._said = ""
        self._thread = threading.Thread(target=self._run, name="club", daemon=True)

    def start(self) -> None:
        """Begin; the broker and the archive may come later."""
        try:
            self._archive.open()
        except DatabaseError as error:
            self._archive_failed(error)
        self._thread.start()
        self._broker.start()

    def stop(self) -> None:
        """Keep what is left to keep, and end."""
        self._broker.stop()
        self._inbox.put(None)
        self._thread.join(timeout=10)
        self._archive.close()

    def live_pdn(self, station: str, board: str) -> str | None:
        """The games at the boards of a station, or at one, or all; None where there is no such board."""
        club = self._club
        wanted = sorted(
            place
            for place in club.boards
            if club.is_shown(place) and station in ("", place.station) and board in ("", place.board)
        )
        if not wanted and (station or board):
            return None
        games = [known for place in wanted if (known := club.current(place)) and known.is_game]
        return "\n".join(live_pdn_of(known, self._lines.get(known.key), self._config.club.name) for known in games)

    # --- the thread --------------------------------------------------------------------------------------------

    def _run(self) -> None:
        is_over = False
        while not is_over:
            arrivals = self._arrivals()
            is_over = None in arrivals
            came = [arrival for arrival in arrivals if isinstance(arrival, Delivered)]
            for arrival in arrivals:
                self._attempt(partial(self._take, arrival))
            self._attempt(self._keep)
            for message in came:
                self._broker.acknowledge(message)
            self._attempt(self._show)
            self._attempt(self._ask)

    def _arrivals(self) -> list[FromBroker | None]:
        """What has come, waiting for the first of it until something is due."""
        arrivals: list[FromBroker | None] = []
        with suppress(queue.Empty):
            arrivals.append(self._inbox.get(timeout=self._wait_s()))
            while len(arrivals) < MOST_AT_ONCE:
                arrivals.append(self._inbox.get_nowait())
        return arrivals

    def _attempt(self, act: Callable[[], None]) -> None:
        """Nothing that goes wrong with one message may end the thread."""
        try:
            act()
        except Exception as error:
            self._note(f"{type(error).__name__}: {error}")

    def _note(self, kind: str) -> None:
        """Count what is left out, and say so the first time."""
        self._noise[kind] += 1
        if self._noise[kind] == 1 and len(self._noise) <= MOST_KINDS:
            print(f"club: left out: {kind}", file=sys.stderr)

    def _now_s(self) -> float:
        return self._clock.now_ms() / 1000

    def _now(self) -> str:
        return wall_text(self._clock.began, self._clock.now_ms())

    def _wait_s(self) -> float | None:
        due = [*self._gaps.values(), *([self._retry_s] if self._dirty else [])]
        return max(0.0, min(due) - self._now_s()) if due else None

    # --- in ----------------------------------------------------------------------------------------------------

    def _take(self, arrival: FromBroker | None) -> None:
        match arrival:
            case Connected():
                self._broker_says = ""
                self._broker.subscribe([(topic, 1) for topic in topics(self._base)])
                self._tell()
            case Disconnected(reason=reason) if reason != GONE or not self._broker_says:
                self._broker_says = reason
                self._tell()
            case Delivered(topic=topic, payload=payload, retained=is_retained):
                told = read(self._base, topic, payload)
                if isinstance(told, Noise):
                    self._note(told.reason)
                else:
                    self._hear(told, is_retained)

    def _hear(self, told: Told, is_retained: bool) -> None:
        key = game_of(told)
        if key is not None and key not in self._club.games:
            self._look_up(key)
        before = self._club
        self._club = taken(before, told, self._now())
        if isinstance(told, StateTold):
            self._heard_ms[told.place] = (self._clock.now_ms(), self._age_ms(told) if is_retained else 0)
        if key is not None and self._club.games.get(key) is not before.games.get(key):
            self._dirty.add(key)
        self._changed |= _touched(before, self._club, told)

    def _look_up(self, key: Key) -> None:
        """Have a game that is heard of among those that are known."""
        try:
            known = self._archive.load(key)
        except DatabaseError as error:
            self._archive_failed(error)
            self._unread.add(key)
            return
        if known is not None:
            self._club = replace(self._club, games={**self._club.games, key: known})

    def _age_ms(self, told: StateTold) -> int:
        """How old a state is that waited on the broker while a clock ran."""
        try:
            sent = read_wall(told.state.at)
            age = read_wall(self._now()) - sent
        except (ValueError, TypeError):
            return 0
        return max(0, min(MOST_AGE_MS, round(age.total_seconds() * 1000)))

    # --- the archive -------------------------------------------------------------------------------------------

    def _keep(self) -> None:
        """Write down what has changed, all at once; what cannot be written waits."""
        for key in self._dirty:
            known = self._club.games.get(key)
            if known is not None and known.head.variant:
                self._lines[key] = line_of(known, self._lines.get(key))
        if not self._dirty or self._retry_s > self._now_s():
            return
        try:
            self._join()
            games = [known for key in self._dirty if (known := self._club.games.get(key)) and _is_kept(known)]
            self._archive.save([(known, self._line(known)) for known in games])
        except DatabaseError as error:
            self._archive_failed(error)
            return
        self._archive_says = ""
        self._forget(self._dirty)
        self._dirty = set()
        self._tell()

    def _join(self) -> None:
        """What the archive has of games that it could not be asked for, put together with what was heard since."""
        for key in sorted(self._unread):
            archived, heard = self._archive.load(key), self._club.games.get(key)
            if archived is not None:
                both = archived if heard is None else joined(archived, heard)
                self._club = replace(self._club, games={**self._club.games, key: both})
                self._lines[key] = line_of(both, self._lines.get(key))
            self._unread.discard(key)

    def _line(self, known: Known) -> Line:
        if known.key not in self._lines:
            self._lines[known.key] = line_of(known)
        return self._lines[known.key]

    def _archive_failed(self, error: DatabaseError) -> None:
        self._archive_says = str(error)
        self._retry_s = self._now_s() + RETRY_S
        self._tell()

    def _forget(self, keys: set[Key]) -> None:
        """Games of no board leave the mind; the archive has them."""
        self._club = without_games(self._club, keys)
        gone_games = [key for key in self._lines if key not in self._club.games]
        for key in gone_games:
            del self._lines[key]
        self._archive.forget(gone_games)

    # --- out ---------------------------------------------------------------------------------------------------

    def _show(self) -> None:
        """Tell the page what has changed."""
        changed, self._changed = self._changed, set()
        for place in sorted(changed):
            if not self._club.is_shown(place):
                self._feed.publish(name_of(place), gone(place))
                continue
            known = self._club.current(place)
            heard_ms, age_ms = self._heard_ms.get(place, (self._clock.now_ms(), 0))
            line = self._lines.get(known.key) if known else None
            age_ms += self._clock.now_ms() - heard_ms
            self._feed.publish(name_of(place), snapshot(self._club, place, line, age_ms))

    def _ask(self) -> None:
        """Ask for the record of a game that has had a gap for some time."""
        now_s = self._now_s()
        gaps = {
            place: self._gaps.get(place, now_s + GAP_S)
            for place in self._club.boards
            if (known := self._club.current(place)) and known.waiting
        }
        for place, due_s in gaps.items():
            if due_s <= now_s:
                self._broker.ask(f"{self._base}/{place.station}/{place.board}/game")
                gaps[place] = now_s + GAP_AGAIN_S
        self._gaps = gaps

    def _tell(self) -> None:
        """What the page, and once for each change the log, are told of the club itself."""
        table = self._config.mqtt
        self._feed.publish("", {"broker": self._broker_says, "archive": self._archive_says}, CLUB)
        where = f"{table.host}, port {table.port}"
        told = [
            f"waiting for the broker at {where}: {self._broker_says}" if self._broker_says else f"connected to {where}"
        ]
        told += [f"the archive takes nothing, games wait in memory: {self._archive_says}"] if self._archive_says else []
        if (sentence := "; ".join(told)) != self._said:
            self._said = sentence
            print(f"club: {sentence}", file=sys.stderr)


def _client_name(data: str) -> str:
    """The same at every start, so that the broker knows whom it kept messages for; another one for another club."""
    return f"dambord-club-{hashlib.sha256(f'{platform.node()} {data}'.encode()).hexdigest()[:12]}"


def _is_kept(known: Known) -> bool:
    return known.is_game or bool(known.waiting)


def _touched(before: Club, after: Club, told: Told) -> set[Place]:
    """Boards of which something else is shown after a message."""
    places = {*before.boards, *after.boards}
    if isinstance(told, StationTold | BoardsTold | Cleared):
        return {place for place in places if place.station == told.station}
    place = told.key.place if isinstance(told, Happened | Recorded) else told.place
    return {place} & places
