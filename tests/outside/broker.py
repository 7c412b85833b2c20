"""A private mosquitto on a loopback port, and a listener that keeps everything it hears."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import paho.mqtt.client as mqtt
import pytest
from paho.mqtt.enums import CallbackAPIVersion

MOSQUITTO = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
WAIT_S = 20.0


def free_port() -> int:
    """A port of 127.0.0.1 that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Broker:
    """Starts and ends by its own process; `port` stays the same."""

    def __init__(self, folder: Path, extra: str = "allow_anonymous true", whole: str = "") -> None:
        """`whole` is a configuration of its own, in which `PORT` stands for the port."""
        if not Path(MOSQUITTO).exists():
            pytest.skip("these tests need a broker (apt install mosquitto)")
        self.port = free_port()
        self._file = folder / f"mosquitto-{self.port}.conf"
        plain = f"listener {self.port} 127.0.0.1\npersistence false\nlog_dest none\n{extra}\n"
        self._file.write_text(whole.replace("PORT", str(self.port)) if whole else plain)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Run it, and return once it takes connections."""
        self._process = subprocess.Popen([MOSQUITTO, "-c", str(self._file)], stderr=subprocess.DEVNULL)
        until = monotonic() + WAIT_S
        while monotonic() < until:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            except OSError:
                threading.Event().wait(0.02)
            else:
                return
        self.stop()
        raise AssertionError("mosquitto did not start")

    def freeze(self) -> None:
        """Have it do nothing from now on, connections and all, until it is stopped."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def stop(self) -> None:
        """Kill it, with everything it retained."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


@dataclass(frozen=True, slots=True)
class Heard:
    """A message as it came, and when."""

    topic: str
    payload: bytes
    qos: int
    retained: bool
    at: float

    @property
    def json(self) -> Any:
        """The payload read as JSON."""
        return json.loads(self.payload)


class Listener:
    """Hears everything on a broker, in order; comes back when the broker does."""

    def __init__(
        self,
        port: int,
        client_id: str = "",
        topics: str = "#",
        login: tuple[str, str] | None = None,
        authority: str = "",
    ) -> None:
        """`login` is a name and a password; with the file of an `authority` over TLS."""
        self.heard: list[Heard] = []
        self._news = threading.Condition()
        self._topics = topics
        self._subscribed = threading.Event()
        self._client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id=client_id)
        if login is not None:
            self._client.username_pw_set(*login)
        if authority:
            self._client.tls_set(authority)
        self._client.reconnect_delay_set(1, 1)
        self._client.on_connect = lambda client, *_: client.subscribe(self._topics, qos=2)
        self._client.on_subscribe = lambda *_: self._subscribed.set()
        self._client.on_message = self._take
        self._client.connect_async("127.0.0.1", port, 20)
        self._client.loop_start()

    def _take(self, _client: Any, _data: Any, message: Any) -> None:
        heard = Heard(message.topic, bytes(message.payload), message.qos, message.retain, monotonic())
        with self._news:
            self.heard.append(heard)
            self._news.notify_all()

    def subscribed(self) -> None:
        """Wait until the broker sends what it has."""
        assert self._subscribed.wait(WAIT_S)

    def publish(self, topic: str, payload: bytes | str, retain: bool = False, qos: int = 1) -> None:
        """Send something, and wait until the broker has it."""
        self.subscribed()
        self._client.publish(topic, payload, qos=qos, retain=retain).wait_for_publish(WAIT_S)

    def wait(self, found: Any, seconds: float = WAIT_S, what: str = "") -> Any:
        """Wait until `found` of the list of messages is true, and give it back."""
        answer = None

        def is_there() -> Any:
            nonlocal answer
            answer = found(list(self.heard))
            return answer

        with self._news:
            there = self._news.wait_for(is_there, seconds)
        assert there, f"waited {seconds:.0f} s in vain for {what or found}; heard last {self.tail()}"
        return answer

    def latest(self, topic: str, messages: list[Heard] | None = None) -> Heard | None:
        """The last message on a topic."""
        among = list(self.heard) if messages is None else messages
        return next((item for item in reversed(among) if item.topic == topic), None)

    def on(self, topic: str) -> list[Heard]:
        """All messages on a topic, in order."""
        return [item for item in list(self.heard) if item.topic == topic]

    def tail(self) -> list[tuple[str, bytes]]:
        """The end of what was heard, for a failing test."""
        return [(item.topic, item.payload[:300]) for item in self.heard[-6:]]

    def close(self) -> None:
        """Leave the broker."""
        self._client.disconnect()
        self._client.loop_stop()
