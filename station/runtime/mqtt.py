"""MQTT: state and position retained, events from the outbox, commands in, one answer each. The game never waits for it.

paho's callbacks run on its network thread and do one thing: they leave a message in this worker's inbox.
"""

from __future__ import annotations

import queue
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from engine.ruleset import variant_names
from station import status
from station.config import Config, MqttTable
from station.effects import Announce, Answer
from station.events import Requested
from station.phases import Paused
from station.runtime.clock import read_wall, wall_text
from station.runtime.loop import Loop, Outcome
from station.runtime.outbox import Outbox
from station.runtime.version import PROGRAM, VERSION
from station.session import REQUESTS
from station.state import Session

KEEPALIVE_S = 20
RECONNECT_S = 8
MOST_BYTES = 16 * 1024
STATE_PERIOD_S = 0.2
"""At most five states a second and board; the last value is always sent."""
IN_FLIGHT = 20
ANSWERS_KEPT = 1000
KNOWN_ELSEWHERE = ("set_position", "set_variant", "set_players", "hint", "halt", "lamps")
"""Command names of the interface that this version refuses by name."""


@dataclass(frozen=True, slots=True)
class Connected:
    """The broker has accepted the connection."""


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The broker is gone."""


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """The broker has a message."""

    message_id: int


@dataclass(frozen=True, slots=True)
class Came:
    """A message on a topic we listen to."""

    topic: str
    payload: bytes
    retained: bool


class Command(msgspec.Struct, frozen=True):
    """What a command's payload says."""

    id: str
    at: str = ""
    ttl_s: float = 30.0
    args: dict[str, str | int | bool] = {}


Message = Outcome | Connected | Disconnected | Acknowledged | Came


def event_payload(announce: Announce, at: str) -> bytes:
    """An event as it is published."""
    head = {"id": f"{announce.game}-{announce.seq}", "seq": announce.seq}
    return payload_of(head, msgspec.to_builtins(announce.what, str_keys=True), announce.game, at)


def payload_of(head: Mapping[str, Any], what: Mapping[str, Any], game: str, at: str) -> bytes:
    """An event's fields in their order: id, seq, type, game, its own, at."""
    rest = {key: value for key, value in what.items() if key != "type"}
    return msgspec.json.encode({**head, "type": what["type"], "game": game, **rest, "at": at})


class MqttWorker:
    """One thread between the loop and paho's client."""

    def __init__(self, config: Config, table: MqttTable, loop: Loop, outbox: Outbox) -> None:
        self._config, self._table, self._loop, self._outbox = config, table, loop, outbox
        self._base = f"{table.base}/{config.station.id}"
        self._inbox: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._sessions: dict[str, Session] = {}
        self._unsent: set[str] = set()
        self._online = False
        self._next = 0
        self._in_flight: dict[int, int] = {}
        self._answers: OrderedDict[str, bytes | None] = OrderedDict()
        self._client = self._make_client()
        self._thread = threading.Thread(target=self._run, name="mqtt", daemon=True)

    def start(self) -> None:
        """Begin to connect, for ever, in the background."""
        self._client.connect_async(self._table.host, self._table.port, KEEPALIVE_S)
        self._client.loop_start()
        self._thread.start()

    def stop(self) -> None:
        """Say offline and disconnect."""
        self._inbox.put(None)
        self._thread.join(timeout=3)
        if self._online:
            self._client.publish(f"{self._base}/status", b"offline", qos=1, retain=True).wait_for_publish(timeout=2)
        self._client.disconnect()
        self._client.loop_stop()
        self._outbox.close()

    def hear(self, outcome: Outcome) -> None:
        """Take what happened at a board."""
        self._inbox.put(outcome)

    def _make_client(self) -> mqtt.Client:
        table = self._table
        client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id=f"dambord-{self._config.station.id}")
        client.suppress_exceptions = True
        client.reconnect_delay_set(1, RECONNECT_S)
        client.will_set(f"{self._base}/status", b"offline", qos=1, retain=True)
        if table.username:
            password = Path(table.password_file).read_text().strip() if table.password_file else None
            client.username_pw_set(table.username, password)
        if table.ca_file:
            client.tls_set(table.ca_file)
        client.on_connect = lambda *_: self._inbox.put(Connected())
        client.on_disconnect = lambda *_: self._inbox.put(Disconnected())
        client.on_publish = lambda _client, _data, message_id, *_: self._inbox.put(Acknowledged(message_id))
        client.on_message = lambda _client, _data, message: self._inbox.put(
            Came(message.topic, bytes(message.payload), message.retain)
        )
        return client

    def _run(self) -> None:
        due: float | None = None
        while True:
            try:
                message = self._inbox.get(timeout=STATE_PERIOD_S if self._unsent else None)
            except queue.Empty:
                self._publish_states()
                continue
            if message is None:
                self._publish_states()
                return
            self._take(message)
            due = self._states_due(due)

    def _states_due(self, due: float | None) -> float | None:
        """Publish changed states now if none went out lately, else leave them for later."""
        now = self._loop.clock.now_ms() / 1000
        if self._unsent and (due is None or now >= due):
            self._publish_states()
            return now + STATE_PERIOD_S
        return due

    def _take(self, message: Message) -> None:
        match message:
            case Outcome(board=board, session=session):
                self._sessions[board] = session
                self._unsent.add(board)
                self._keep(message)
            case Connected():
                self._connected()
            case Disconnected():
                self._online = False
            case Acknowledged(message_id=message_id):
                number = self._in_flight.pop(message_id, None)
                if number is not None:
                    self._outbox.sent(number)
            case Came():
                self._command(message)
        self._publish_events()

    # --- out ---------------------------------------------------------------------------------------------------

    def _keep(self, outcome: Outcome) -> None:
        at = wall_text(self._loop.clock.began, outcome.event.at_ms)
        for effect in outcome.effects:
            if isinstance(effect, Announce):
                topic = f"{self._base}/{outcome.board}/event"
                self._outbox.put(topic, event_payload(effect, at), outcome.board, effect.game, effect.seq)
            elif isinstance(effect, Answer) and effect.request.startswith("mqtt:"):
                self._acknowledge(outcome.board, effect.request.removeprefix("mqtt:"), effect.error)

    def _connected(self) -> None:
        self._online = True
        self._next = 0
        self._in_flight.clear()
        self._client.subscribe(f"{self._base}/+/cmd/+", qos=1)
        self._client.publish(f"{self._base}/status", b"online", qos=1, retain=True)
        self._unsent = set(self._sessions)
        self._publish_states()

    def _publish_events(self) -> None:
        while self._online and len(self._in_flight) < IN_FLIGHT:
            rows = self._outbox.pending(self._next, 1)
            if not rows:
                return
            number, topic, payload = rows[0]
            sent = self._client.publish(topic, payload, qos=1)
            self._in_flight[sent.mid] = number
            self._next = number

    def _publish_states(self) -> None:
        if not self._online:
            self._unsent.clear()
            return
        for board in sorted(self._unsent):
            self._publish_state(board, self._sessions[board])
        self._unsent.clear()
        self._retain("info", msgspec.json.encode(self._info()))

    def _publish_state(self, board: str, session: Session) -> None:
        lost = isinstance(session.phase, Paused) and session.phase.reason == "device"
        self._retain(f"{board}/availability", b"offline" if lost else b"online")
        self._retain(f"{board}/state", msgspec.json.encode(status.state(session)))
        self._retain(f"{board}/position", msgspec.json.encode(status.position(session)))
        self._retain(f"{board}/game", msgspec.json.encode(status.game(session)))

    def _retain(self, topic: str, payload: bytes) -> None:
        self._client.publish(f"{self._base}/{topic}", payload, qos=1, retain=True)

    def _info(self) -> dict[str, Any]:
        return {
            "version": VERSION,
            "program": PROGRAM,
            "variants": variant_names(),
            "boards": {table.id: {"variant": table.variant, "driver": table.driver} for table in self._config.boards},
            "capabilities": {
                board: [] if session.device is None else _capabilities(session)
                for board, session in self._sessions.items()
            },
            "devices": {
                board: {"device": msgspec.to_builtins(session.device), "problem": session.problem or None}
                for board, session in self._sessions.items()
            },
        }

    # --- in ----------------------------------------------------------------------------------------------------

    def _command(self, came: Came) -> None:
        board, _, name = came.topic.removeprefix(f"{self._base}/").partition("/cmd/")
        if board not in self._sessions:
            return
        command = _read_command(came.payload)
        if command is None:
            return
        if command.id in self._answers:
            stored = self._answers[command.id]
            if stored is not None:
                self._client.publish(f"{self._base}/{board}/ack/{command.id}", stored, qos=1)
            return
        self._answers[command.id] = None
        while len(self._answers) > ANSWERS_KEPT:
            self._answers.popitem(last=False)
        refusal = self._refusal(came, name, command)
        if refusal is not None:
            self._acknowledge(board, command.id, refusal)
            return
        now_ms = self._loop.clock.now_ms()
        self._loop.post(board, Requested(now_ms, f"mqtt:{command.id}", name, command.args))

    def _refusal(self, came: Came, name: str, command: Command) -> str | None:
        if came.retained:
            return "retained: a command that waits on the broker is never carried out"
        if len(came.payload) > MOST_BYTES:
            return f"payload: found {len(came.payload)} bytes, expected at most {MOST_BYTES}"
        if name in KNOWN_ELSEWHERE:
            return f"{name}: not supported by {PROGRAM}"
        if name not in REQUESTS:
            return f"{name}: no such command, expected one of {', '.join(REQUESTS)}"
        return self._stale(command)

    def _stale(self, command: Command) -> str | None:
        if not command.at:
            return None
        try:
            sent = read_wall(command.at)
        except ValueError:
            return f"at = {command.at!r}: expected UTC, ISO 8601"
        sent = sent if sent.tzinfo else sent.replace(tzinfo=UTC)
        now: datetime = self._loop.clock.began + timedelta(milliseconds=self._loop.clock.now_ms())
        age_s = (now - sent).total_seconds()
        return f"stale: {age_s:.0f} s old, its ttl_s is {command.ttl_s:.0f}" if age_s > command.ttl_s else None

    def _acknowledge(self, board: str, command_id: str, error: str | None) -> None:
        answer = msgspec.json.encode({"id": command_id, "ok": error is None, "error": error})
        self._answers[command_id] = answer
        self._client.publish(f"{self._base}/{board}/ack/{command_id}", answer, qos=1)


def _capabilities(session: Session) -> list[str]:
    device = session.device
    if device is None:
        return []
    abilities = {"colour": device.colour, "identity": device.identity, "lamps": device.lamps}
    return [name for name, able in abilities.items() if able]


def _read_command(payload: bytes) -> Command | None:
    """A command, or None when there is not even an identity that an answer could carry."""
    try:
        command = msgspec.json.decode(payload, type=Command)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _with_bad_arguments(payload)
    return command if _is_identity(command.id) else None


def _with_bad_arguments(payload: bytes) -> Command | None:
    try:
        found = msgspec.json.decode(payload)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    identity = found.get("id") if isinstance(found, dict) else None
    if not isinstance(identity, str) or not _is_identity(identity):
        return None
    return Command(identity, at="badly formed")


def _is_identity(text: str) -> bool:
    return 0 < len(text) <= 64 and all(letter.isalnum() or letter in "-_" for letter in text) and text.isascii()
