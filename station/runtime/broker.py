"""The only import of paho: a client that leaves what it hears in a mailbox, and a try whether a broker lets us in.

paho's callbacks run on its network thread and do one thing: they leave a message.
"""

from __future__ import annotations

import queue
import secrets
import ssl
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.reasoncodes import ReasonCode

from station.config import MqttTable
from station.runtime.secret import secret

KEEPALIVE_S = 20
RECONNECT_S = 4
RIVAL_S = 60
"""How long a client stays away from a broker that ends each of its connections at once."""
CONNECT_S = 3.0
"""A broker that does not answer by then is tried again; the end of the station waits no longer either."""
GONE = "gone"


@dataclass(frozen=True, slots=True)
class Connected:
    """The broker has accepted the connection."""


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The broker is gone, or refuses us."""

    reason: str


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


FromBroker = Connected | Disconnected | Acknowledged | Came


class BrokerClient:
    """Connects for ever in the background, over TLS where the table names an authority; OSError for a missing file.

    `leave` gets what happens, on paho's thread; `last_will` is the topic that says `offline` when we are gone.
    """

    def __init__(self, table: MqttTable, name: str, last_will: str, leave: Callable[[FromBroker], None]) -> None:
        self._table, self._leave, self._last_will = table, leave, last_will
        client = self._client = _client(table, name)
        client.suppress_exceptions = True
        client.reconnect_delay_set(1, RECONNECT_S)
        client.connect_timeout = CONNECT_S
        client.will_set(last_will, b"offline", qos=1, retain=True)
        client.on_connect = self._on_connect
        client.on_connect_fail = lambda *_: leave(Disconnected("no answer"))
        client.on_disconnect = lambda *_: leave(Disconnected(GONE))
        client.on_publish = lambda _client, _data, message_id, *_: leave(Acknowledged(message_id))
        client.on_message = lambda _client, _data, message: leave(
            Came(message.topic, bytes(message.payload), message.retain)
        )

    def start(self) -> None:
        """Begin to connect, for ever."""
        self._client.connect_async(self._table.host, self._table.port, KEEPALIVE_S)
        self._client.loop_start()

    def stop(self, is_online: bool) -> None:
        """Say offline, which a clean end keeps the last will from saying, and disconnect."""
        if is_online:
            with suppress(ValueError, RuntimeError):
                self._client.publish(self._last_will, b"offline", qos=1, retain=True).wait_for_publish(timeout=2)
        self._client.disconnect()
        self._client.loop_stop()

    def stay_away(self, is_rivalled: bool) -> None:
        """Wait longer before each new connection, or as long as usual again."""
        self._client.reconnect_delay_set(RIVAL_S if is_rivalled else 1, RIVAL_S if is_rivalled else RECONNECT_S)

    def subscribe(self, topics: list[tuple[str, int]]) -> None:
        """Listen to topics, each with its QoS."""
        self._client.subscribe(topics)

    def publish(self, topic: str, payload: bytes, qos: int = 1, retain: bool = False) -> int:
        """Send a message; the number that `Acknowledged` will bear."""
        return self._client.publish(topic, payload, qos=qos, retain=retain).mid

    def _on_connect(
        self, client: mqtt.Client, _data: object, _flags: object, reason: ReasonCode, _more: object
    ) -> None:
        if reason.is_failure:
            self._leave(Disconnected(str(reason).lower()))
            return
        # What an earlier connection left unsent is old by now; events and answers are kept by us.
        client.drop_out_messages()
        self._leave(Connected())


@dataclass(frozen=True, slots=True)
class Delivered(Came):
    """A message that the broker keeps until it is acknowledged; connections are counted, as only this one's counts."""

    number: int
    connection: int


class KeepingClient:
    """Hears topics and says nothing: the broker has what it has not acknowledged, also over a restart of it."""

    def __init__(self, table: MqttTable, name: str, leave: Callable[[FromBroker], None]) -> None:
        self._table, self._leave = table, leave
        self._connection = 0
        client = self._client = _client(table, name, keeps=True)
        client.suppress_exceptions = True
        client.reconnect_delay_set(1, RECONNECT_S)
        client.connect_timeout = CONNECT_S
        client.on_connect = self._on_connect
        client.on_connect_fail = lambda *_: leave(Disconnected("no answer"))
        client.on_disconnect = lambda *_: leave(Disconnected(GONE))
        client.on_message = lambda _client, _data, message: leave(
            Delivered(message.topic, bytes(message.payload), message.retain, message.mid, self._connection)
        )

    def start(self) -> None:
        """Begin to connect, for ever."""
        self._client.connect_async(self._table.host, self._table.port, KEEPALIVE_S)
        self._client.loop_start()

    def stop(self) -> None:
        """Disconnect; the broker keeps what comes from now on."""
        self._client.disconnect()
        self._client.loop_stop()

    def subscribe(self, topics: list[tuple[str, int]]) -> None:
        """Listen to topics, each with its QoS; the broker tells what it retains of them."""
        self._client.subscribe(topics)

    def ask(self, topic: str) -> None:
        """Have what is retained on a topic told once more."""
        self._client.subscribe(topic, 1)
        self._client.unsubscribe(topic)

    def acknowledge(self, message: Delivered) -> None:
        """Let the broker forget a message."""
        if message.connection == self._connection:
            self._client.ack(message.number, 1)

    def _on_connect(
        self, _client: mqtt.Client, _data: object, _flags: object, reason: ReasonCode, _more: object
    ) -> None:
        if reason.is_failure:
            self._leave(Disconnected(str(reason).lower()))
            return
        self._connection += 1
        self._leave(Connected())


DENIED = "denied"
"""What `try_broker` says where the broker's access list swallows what we publish; MQTT 3.1.1 has no word for it."""


def try_broker(table: MqttTable, wait_s: float = 5.0, own: str = "") -> str | None:
    """Log in once and leave again; None when the broker lets us in, else why it does not.

    With the station's `own` topic something is published below it as well, which has to come back: else `DENIED`.
    """
    answers: queue.SimpleQueue[ReasonCode] = queue.SimpleQueue()
    back: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    probe, payload = f"{own}/doctor", secrets.token_hex(8).encode()
    try:
        client = _client(table, "")
        client.on_connect = lambda _client, _data, _flags, reason, _more: answers.put(reason)
        client.on_subscribe = lambda client, *_: client.publish(probe, payload, qos=1)
        client.on_message = lambda _client, _data, message: back.put(bytes(message.payload))
        client.connect_timeout = wait_s
        client.connect(table.host, table.port, KEEPALIVE_S)
        client.loop_start()
        reason = answers.get(timeout=wait_s)
    except queue.Empty:
        return "no answer"
    except OSError as error:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error) or "no answer"
    came_back = not own or reason.is_failure
    if not came_back:
        client.subscribe(probe, qos=1)
        with suppress(queue.Empty):
            while not came_back:
                came_back = back.get(timeout=wait_s) == payload
    client.disconnect()
    client.loop_stop()
    if reason.is_failure:
        return str(reason).lower()
    return None if came_back else DENIED


def _client(table: MqttTable, name: str, *, keeps: bool = False) -> mqtt.Client:
    """A client that can log in at a broker; OSError when one of its files is missing, or is no secret.

    For one that `keeps`, the broker holds what comes while it is away, and all that it has not acknowledged itself.
    """
    client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id=name, clean_session=not keeps, manual_ack=keeps)
    if table.username:
        client.username_pw_set(table.username, secret(table.password_file) if table.password_file else None)
    if table.ca_file:
        certificate = (table.certificate_file, table.key_file) if table.certificate_file else (None, None)
        if table.key_file:
            secret(table.key_file)
        try:
            client.tls_set(table.ca_file, *certificate)
        except ssl.SSLError as error:
            files = ", ".join(file for file in (table.ca_file, *certificate) if file)
            raise OSError(f"{files}: {error.reason or error}; expected certificates and a key in PEM") from error
    return client
