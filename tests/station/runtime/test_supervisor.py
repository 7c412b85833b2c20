"""What systemd is told: over a real socket, by the service as a process, and by one of whose threads hangs."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from station.runtime.supervisor import ALIVE, READY, STOPPING, Supervisor
from tests.outside.broker import free_port

DAMBORD = Path(sys.executable).with_name("dambord")
WAIT_S = 30.0


@pytest.fixture
def listener(tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.bind(str(tmp_path / "notify"))
        channel.settimeout(WAIT_S)
        yield channel


def configuration(folder):
    file = folder / "station.toml"
    file.write_text(
        f'[station]\ndata = "{folder / "data"}"\n[web]\nport = {free_port()}\n'
        f'[[boards]]\nid = "table"\ndriver = "dgt"\nport = "{folder / "gone"}"\nvariant = "russian"\n'
    )
    return file


def test_O89_a_service_says_that_it_is_ready_then_that_it_is_alive_then_that_it_ends(tmp_path, listener):
    environment = {**os.environ, "NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "20000000"}
    with subprocess.Popen(
        [DAMBORD, "run", "--config", configuration(tmp_path)],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        said = listener.recv(1000).decode().split("\n")
        assert said[0] == READY
        assert said[1].startswith("STATUS=dambord ")
        assert "http://127.0.0.1:" in said[1]
        assert listener.recv(1000).decode() == ALIVE
        process.send_signal(signal.SIGTERM)
        last = ALIVE
        while last == ALIVE:
            last = listener.recv(1000).decode()
        assert last == STOPPING
        assert process.wait(WAIT_S) == 0


@pytest.mark.parametrize(
    ("environment", "wants_life"),
    [
        ({}, False),
        ({"WATCHDOG_USEC": "1000000"}, False),
        ({"NOTIFY_SOCKET": "/nowhere/at/all"}, False),
        ({"NOTIFY_SOCKET": "/nowhere/at/all", "WATCHDOG_USEC": "1000000"}, True),
        ({"NOTIFY_SOCKET": "/nowhere/at/all", "WATCHDOG_USEC": "1000000", "WATCHDOG_PID": "1"}, False),
    ],
)
def test_without_a_listener_nothing_is_said_and_nothing_breaks(environment, wants_life):
    supervisor = Supervisor(environment)
    supervisor.tell(READY)
    assert supervisor.wants_life is wants_life


def test_an_abstract_socket_is_understood():
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.bind(f"\0dambord-test-{os.getpid()}")
        channel.settimeout(WAIT_S)
        Supervisor({"NOTIFY_SOCKET": f"@dambord-test-{os.getpid()}"}).tell(READY, "STATUS=here")
        assert channel.recv(100) == b"READY=1\nSTATUS=here"


def test_O49_a_loop_that_hangs_is_noticed(stand):
    here = stand()
    assert here.service.stuck(WAIT_S) == ""
    released = threading.Event()
    here.watcher.hear = lambda _: released.wait(WAIT_S)
    here.ports["table"].take((0, 7))
    here.until(lambda: here.service.stuck(0.2) == "the loop")
    released.set()
    here.until(lambda: here.service.stuck(WAIT_S) == "")
