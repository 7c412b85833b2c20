"""Stations in this process, on simulated boards behind real pseudo-terminals."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from time import monotonic

import pytest

from engine.position import Piece
from engine.rules import rules_for
from engine.ruleset import load_ruleset
from firmware_bridge.simulator import device_for
from firmware_bridge.simulator.pty_port import PtyPort
from station.config import BoardTable, Config, MqttTable, StationTable, WebTable
from station.runtime.service import Service
from tests.outside.asyncapi import check
from tests.outside.broker import Broker, Listener

WAIT_S = 20.0


class Watcher:
    """A worker that keeps the latest outcome of each board, and lets others wait for one."""

    def __init__(self):
        self.outcomes = []
        self._news = threading.Condition()

    def hear(self, outcome):
        with self._news:
            self.outcomes.append(outcome)
            self._news.notify_all()

    def wait(self, found, seconds=WAIT_S):
        """The first outcome, of those so far and those to come, for which `found` is true."""
        hit = None

        def is_there():
            nonlocal hit
            hit = next((outcome for outcome in self.outcomes if found(outcome)), None)
            return hit is not None

        with self._news:
            assert self._news.wait_for(is_there, seconds), [o.session.phase for o in self.outcomes[-3:]]
        return hit


class Stand:
    """A running service, its simulated boards, and hands that put single pieces."""

    def __init__(self, service, ports, watcher):
        self.service, self.ports, self.watcher = service, ports, watcher

    def session(self, board="table"):
        return next(o.session for o in reversed(self.watcher.outcomes) if o.board == board)

    def move(self, start, end, board="table"):
        """A person moves a piece from one cell to another."""
        port = self.ports[board]
        piece = port.contents(start)
        assert piece is not Piece.EMPTY
        port.take(start)
        threading.Event().wait(0.15)
        port.put(end, piece)

    def until(self, is_so, seconds=WAIT_S):
        """Wait for something that no outcome tells of."""
        end = monotonic() + seconds
        while not is_so():
            assert monotonic() < end
            threading.Event().wait(0.02)


@pytest.fixture
def broker(tmp_path):
    """A broker that is running."""
    broker = Broker(tmp_path)
    broker.start()
    yield broker
    broker.stop()


@pytest.fixture
def listen():
    """Make listeners on a broker; what stations told them is held to the document of all topics."""
    listeners = []
    with ExitStack() as stack:

        def make(port, **options):
            listener = Listener(port, **options)
            stack.callback(listener.close)
            listeners.append(listener)
            return listener

        yield make
    for listener in listeners:
        check(listener.heard)


@pytest.fixture
def stand(tmp_path):
    """Make stations with one simulated board or more."""
    with ExitStack() as stack:

        def make(
            broker_port=None,
            boards=("table",),
            variant="russian",
            mqtt=None,
            page=False,
            driver="matrix",
            devices=None,
            each=None,
            listing=None,
            **table,
        ):
            """`devices` are the boards at the ports, by name; `each` has keys for single tables."""
            ports, tables = {}, []
            ruleset = load_ruleset(variant)
            for board in boards:
                device = (devices or {}).get(board) or device_for(driver, ruleset.columns, ruleset.rows, colour=True)
                for square, piece in enumerate(rules_for(ruleset).start().contents):
                    device.put(ruleset.geometry.cells[square], piece, 0)
                path = tmp_path / f"port-{board}"
                path.unlink(missing_ok=True)
                ports[board] = stack.enter_context(PtyPort(device, path))
                keys = {"port": str(path), **table, **(each or {}).get(board, {})}
                tables.append(BoardTable(board, driver, variant=variant, **keys))
            mqtt_table = None
            if broker_port is not None:
                mqtt_table = MqttTable(port=broker_port, **(mqtt or {}))
            config = Config(
                StationTable("here", data=str(tmp_path / "data")), WebTable(port=0), mqtt_table, tuple(tables)
            )
            watcher = Watcher()
            found = {} if listing is None else {"listing": lambda: listing(ports)}
            service = Service(config, watchers=[watcher], page=page, **found)
            service.start()
            stack.callback(service.stop)
            return Stand(service, ports, watcher)

        yield make
