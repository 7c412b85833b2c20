"""Many simulated stations on a broker, each with what survives its death: an outbox and the game on its board."""

from __future__ import annotations

from collections import deque
from time import monotonic

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from .stations import BASE, Telling

IN_FLIGHT = 20
GRACE_S = 2.0
VARIANTS = ("russian", "english", "international", "brazilian", "turkish", "italian", "frisian", "towers")
LONG = 40
"""After so many moves a game is broken off, if it has not ended."""


class CrowdStation:
    """A station with one board. Everything but the client outlives a kill."""

    def __init__(self, number, port):
        self.name, self.port, self.number = f"crowd-{number}", port, number
        self.outbox = deque()
        self.games = []
        self.client = None
        self.acknowledged = deque()
        """What the clients' own threads were told, for this one to read: paho holds a lock of its own meanwhile."""
        self._begin()
        self.connect()

    def _begin(self):
        count = len(self.games) + 1
        game = Telling(self.name, "table", f"01a22ff0{self.number:04x}-{count}", VARIANTS[self.number % 8], self.number)
        game.chance.seed(1000 * self.number + count)
        self.games.append(game)
        self._keep(game.started())

    @property
    def playing(self):
        return self.games[-1]

    def _keep(self, event):
        self.outbox.append([event, None])

    def connect(self):
        """A new client, as after a start: nothing that was in flight is known any more."""
        self.in_flight, self.next, self.is_new = {}, 0, False
        client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id=self.name)
        client.will_set(f"{BASE}/{self.name}/status", b"offline", qos=1, retain=True)
        client.reconnect_delay_set(1, 2)
        client.on_connect = lambda client, *_: self._connected(client)
        client.on_publish = lambda client, _data, number, *_: self.acknowledged.append((client, number))
        client.connect_async("127.0.0.1", self.port, 20)
        client.loop_start()
        self.client = client

    def _connected(self, client):
        client.drop_out_messages()
        self.is_new = client is self.client

    def kill(self):
        """No farewell: the socket is closed, the client forgotten."""
        dead, self.client = self.client, None
        dead.on_publish = dead.on_connect = None
        sock = dead.socket()
        if sock is not None:
            sock.close()
        dead.loop_stop()

    def move(self):
        """Something happens at the board; true for a move."""
        game = self.playing
        if game.result != "*" or len(game.told) >= LONG:
            if game.result == "*":
                self._keep(game.over("*", "broken off"))
            self._begin()
            return False
        made = game.move()
        self._keep(made or game.over())
        if made and game.chance.random() < 0.05:
            self._keep(game.revise() or game.prompt())
        self.tell()
        return made is not None

    def tell(self):
        """Retained topics, and as much of the outbox as may be under way."""
        client = self.client
        if client is None or not client.is_connected():
            return
        if self.is_new:
            self.is_new, self.in_flight, self.next = False, {}, 0
            client.publish(f"{BASE}/{self.name}/status", b"online", qos=1, retain=True)
        retained = [self.playing.record(), self.playing.state("01a22ff0")]
        if len(self.games) > 1:
            retained.append((f"{BASE}/{self.name}/table/previous", self.games[-2].record()[1]))
        for topic, payload in retained:
            client.publish(topic, payload, qos=1, retain=True)
        self._send(client)

    def _send(self, client):
        while self.acknowledged:
            told, number = self.acknowledged.popleft()
            if told is client and (kept := self.in_flight.pop(number, None)) is not None:
                kept[1] = monotonic()
        until = monotonic() - GRACE_S
        while self.next and (acked := self.outbox[0][1]) is not None and acked < until:
            self.outbox.popleft()
            self.next -= 1
        while self.next < len(self.outbox) and len(self.in_flight) < IN_FLIGHT:
            kept = self.outbox[self.next]
            kept[1] = None
            self.in_flight[client.publish(*kept[0], qos=1).mid] = kept
            self.next += 1

    @property
    def is_told(self):
        """Whether the broker has all there is."""
        return self.next == len(self.outbox) and not self.in_flight

    def expected(self):
        """Every game with a move: board, game, moves, result."""
        return {(self.name, game.id): (tuple(game.texts()), game.result) for game in self.games if game.told}

    def close(self):
        if self.client is not None:
            self.client.disconnect()
            self.client.loop_stop()
