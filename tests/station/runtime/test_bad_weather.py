"""Games in bad weather end with the right record, whatever happens to the line; as often in a soak as is promised.

`python -m tests.station.runtime.weather` runs as many as are wanted, and prints what it counts.
"""

from __future__ import annotations

import threading
from random import Random

import pytest

from engine.position import EMPTY
from engine.rules import rules_for
from engine.ruleset import load_ruleset
from firmware_bridge.simulator import MatrixBoard
from station.events import DeviceBack, DeviceLost, Requested
from station.phases import Turn
from station.runtime.made_games import made_games

from .weather import KINDS, run

DRIVERS = ("certabo", "dgt", "dgt_bus", "matrix", "millennium")
EACH = 100
PAUSE_S = (0.05, 0.25)
"""Between two contacts."""


@pytest.mark.parametrize("driver", DRIVERS)
def test_games_on_a_bad_line_have_the_right_record(driver):
    outcomes, happened = run(driver, "russian", 1, 3)
    assert set(happened) == set(KINDS)
    assert [outcome.story for outcome in outcomes if not outcome.is_right] == []


def test_a_fault_of_the_record_would_be_found():
    """A board of which a square went dead in the middle of a game cannot have the right record of every game."""
    outcomes, _ = run("matrix", "russian", 1, 3, ("pulled",), dead_squares=32)
    assert any(not outcome.is_right for outcome in outcomes)


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("occupancy", [False, True], ids=["colour", "occupancy"])
@pytest.mark.parametrize("driver", DRIVERS)
def test_a_hundred_faults_of_each_kind(driver, occupancy):
    outcomes, happened = run(driver, "russian", EACH, 11, colour=not occupancy)
    assert min(happened[kind] for kind in KINDS) >= EACH
    assert [outcome.story for outcome in outcomes if not outcome.is_right] == []


# --- through pseudo-terminals, with a whole station


class Versioned(MatrixBoard):
    """A board whose firmware can be changed."""

    version = 1

    def _packet(self, kind, payload):
        return super()._packet(kind, bytes((self.version, *payload[1:])) if kind == 0x01 else payload)


class Players:
    """Two people at one board of a running station; they play games made from a seed, and never look at a lamp."""

    def __init__(self, stand, board, ruleset, seed):
        self.stand, self.board, self.ruleset = stand, board, ruleset
        self._games, self._chance = made_games(ruleset, seed), Random(seed)
        self._rules = rules_for(ruleset)
        self._waiting = threading.Event()
        self.moves = iter(())
        self.played = []
        self.games = 0

    @property
    def port(self):
        return self.stand.ports[self.board]

    @property
    def session(self):
        return self.stand.session(self.board)

    def record(self):
        return [move.effect for move in self.session.game.moves]

    def begin(self):
        """Sets up the men; after a game a new one is asked for."""
        for square, piece in enumerate(self._rules.start().contents):
            self._touch(square, piece)
        if self.games:
            at_ms = self.stand.service.clock.now_ms()
            self.stand.service.loop.post(self.board, Requested(at_ms, f"test:{self.games}", "new_game", {}))
        self.stand.until(lambda: not self.record() and isinstance(self.session.phase, Turn))
        self.games += 1
        self.position, self.moves, self.played = self._rules.start(), iter(next(self._games).moves), []

    def contacts(self):
        """The next move as contacts; the rest of the story is told by `made`."""
        move = next(self.moves, None)
        while move is None:
            self.begin()
            move = next(self.moves, None)
        after = self.position.after(move)
        squares = (move.from_square, *move.captured, move.path[-1])
        puts = [(square, EMPTY) for square in squares[:-1] if square != move.path[-1]]
        self.position = after
        self.played.append(move.effect)
        return [*puts, (move.path[-1], after.contents[move.path[-1]])]

    def make(self, contacts):
        for square, piece in contacts:
            self._touch(square, piece)
            self._waiting.wait(self._chance.uniform(*PAUSE_S))

    def recorded(self, seconds=30):
        """Waits until the record is what was played."""
        self.stand.until(lambda: self.record() == self.played, seconds)

    def _touch(self, square, piece):
        cell = self.ruleset.geometry.cells[square]
        if self.port.contents(cell) is not piece:
            self.port.put(cell, piece)


def renamed(players, chance, wait):
    """The cable is pulled at some moment of a move, and put in elsewhere: the system gives the port another name."""
    (table,) = players
    contacts = table.contacts()
    until = chance.randint(0, len(contacts))
    table.make(contacts[:until])
    table.port.unplug()
    lost = wait(table, DeviceLost)
    table.make(contacts[until:])
    table.port.plug()
    back = wait(table, DeviceBack, lost.event.at_ms)
    assert lost.session.problem
    assert not back.session.problem
    table.recorded()


def swapped(players, chance, wait):
    """The cables of two boards are pulled and put in the other way round, in the middle of a move at each."""
    contacts = [table.contacts() for table in players]
    untils = [chance.randint(0, len(one)) for one in contacts]
    for table, one, until in zip(players, contacts, untils, strict=True):
        table.make(one[:until])
    first, second = (table.port for table in players)
    first.unplug()
    second.unplug()
    lost = [wait(table, DeviceLost) for table in players]
    for table, one, until in zip(players, contacts, untils, strict=True):
        table.make(one[until:])
    first.path, second.path = second.path, first.path
    first.plug()
    second.plug()
    for table, gone in zip(players, lost, strict=True):
        wait(table, DeviceBack, gone.event.at_ms)
        table.recorded()


def outdated(players, chance, wait):
    """The board is taken away in the middle of a move, comes back with an old firmware, and is given the right one."""
    (table,) = players
    contacts = table.contacts()
    until = chance.randint(0, len(contacts))
    table.make(contacts[:until])
    table.port.unplug()
    wait(table, DeviceLost)
    board = table.port._board
    board.version = 0
    table.port.power_cycle()
    table.port.plug()
    sentence = "The board speaks link version 0, expected version 1: update its firmware or this program."
    table.stand.until(lambda: sentence in (table.session.problem or ""))
    lost_ms = table.stand.service.clock.now_ms()
    table.make(contacts[until:])
    board.version = 1
    table.port.power_cycle()
    wait(table, DeviceBack, lost_ms)
    table.recorded()


CABLES = {"renamed": renamed, "swapped": swapped, "outdated": outdated}


def at_tables(stand, kind):
    """Players at as many boards as a kind of fault takes."""
    ruleset = load_ruleset("russian")
    names = ("one", "two") if kind == "swapped" else ("one",)
    devices = {name: Versioned(8, 8, colour=True, unique_id=f"BOARD{name:>3}".encode()) for name in names}
    each = {name: {"unique_id": devices[name]._unique_id.hex()} for name in names}
    if kind == "renamed":
        each["one"] = {"port": "", "usb_serial": "BOARD-one"}

    def listing(ports):
        path = ports["one"].path
        return ((str(path.resolve()), "BOARD-one"),) if path.exists() else ()

    table = stand(boards=names, devices=devices, each=each, listing=listing)
    return [Players(table, name, ruleset, seed) for seed, name in enumerate(names, 1)]


def weather(stand, kind, times):
    """So many faults of a kind, each at another moment of the games."""
    players, chance = at_tables(stand, kind), Random(5)

    def wait(table, event, after_ms=-1):
        since_ms = max(after_ms, strikes_ms - 1)
        return table.stand.watcher.wait(
            lambda o: o.board == table.board and isinstance(o.event, event) and o.event.at_ms > since_ms
        )

    for table in players:
        table.begin()
    for _ in range(times):
        for table in players:
            for _ in range(chance.randint(0, 3)):
                table.make(table.contacts())
                table.recorded()
        strikes_ms = table.stand.service.clock.now_ms()
        CABLES[kind](players, chance, wait)
    assert sum(table.games for table in players) >= len(players)


@pytest.mark.parametrize("kind", CABLES)
def test_cables_and_firmwares_are_changed_in_the_middle_of_moves(stand, kind):
    weather(stand, kind, 2)


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("kind", CABLES)
def test_a_hundred_times_cables_and_firmwares_are_changed(stand, kind):
    weather(stand, kind, EACH)
