"""The brokers of `deploy/mosquitto`, but for ports, paths and passwords: who may do what, and the bridge."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from .broker import Broker, Listener, free_port
from .certificates import Authority

DEPLOY = Path(__file__).parents[2] / "deploy/mosquitto"
ONE, OTHER = "dambord/v1/table-1", "dambord/v1/table-2"
SECRETS = {name: f"secret of {name}" for name in ("table-1", "table-2", "club", "viewer", "organiser", "homeassistant")}


def put_in(names, folder, **replaced):
    """Configurations with what a test has instead of a system's folders, ports and names."""
    text = "\n".join((DEPLOY / name).read_text() for name in names.split()).replace("/etc/mosquitto/", f"{folder}/")
    for old, new in replaced.values():
        assert old in text, old
        text = text.replace(old, new)
    # The broker of a test runs as whoever runs the test, and keeps quiet.
    return f"user root\nlog_dest none\n{text}"


@pytest.fixture
def club(tmp_path):
    """The club's broker; its port for tables is `tables`."""
    for name in ("club.acl", "table.acl"):
        shutil.copy(DEPLOY / name, tmp_path / f"dambord-{name}")
    tool = shutil.which("mosquitto_passwd") or pytest.skip("these tests need mosquitto_passwd (apt install mosquitto)")
    (tmp_path / "dambord.passwd").touch(mode=0o600)
    for name, password in SECRETS.items():
        subprocess.run([tool, "-b", str(tmp_path / "dambord.passwd"), name, password], check=True, capture_output=True)
    authority = Authority(tmp_path, "club-ca")
    authority.vouch_for("club")
    tables = free_port()
    ports = {"a": ("listener 8883", f"listener {tables} 127.0.0.1"), "b": ("listener 1883", "listener PORT")}
    broker = Broker(tmp_path, whole=put_in("club.conf", tmp_path, **ports))
    broker.tables = tables
    broker.start()
    yield broker
    broker.stop()


@pytest.fixture
def table(tmp_path, club):
    """The broker of table-1, also for the house, with its bridge to the club; its port for this machine is `own`."""
    own = free_port()
    ports = {
        "a": ("listener 1883", f"listener {own}"),
        "house": ("# listener 1884\n# allow", "listener PORT\nallow"),
        "passwords": ("# password_file", "password_file"),
        "rights": ("# acl_file", "acl_file"),
        "b": ("club.example:8883", f"127.0.0.1:{club.tables}"),
        "c": ("the password of table-1 at the club", SECRETS["table-1"]),
        "d": ("restart_timeout 2 30", "restart_timeout 1"),
    }
    broker = Broker(tmp_path, whole=put_in("table.conf bridge.conf", tmp_path, **ports))
    broker.own = own
    broker.start()
    yield broker
    broker.stop()


@pytest.fixture
def log_in():
    """Clients by name at a port; they hear what they may."""
    clients = []

    def make(port, name, **options):
        client = Listener(port, login=(name, SECRETS[name]), **options)
        clients.append(client)
        client.subscribed()
        return client

    yield make
    for client in clients:
        client.close()


def hears(listener, topic, payload):
    listener.wait(lambda messages: (at := listener.latest(topic, messages)) and at.payload == payload, what=topic)


def test_everybody_may_do_at_the_club_what_is_theirs_and_no_more(club, log_in, tmp_path):
    viewer, organiser = log_in(club.port, "viewer"), log_in(club.port, "organiser")
    station = log_in(club.tables, "table-1", authority=str(tmp_path / "club-ca.pem"))
    other = log_in(club.port, "table-2")
    # What is refused is refused in silence: after it comes something that is not, and only that arrives.
    refused = [
        (viewer, f"{ONE}/table/cmd/resign"),
        (viewer, f"{ONE}/status"),
        (viewer, "dambord/v1/viewer/status"),
        (organiser, f"{ONE}/table/event"),
        (organiser, "dambord/v1/organiser/table/event"),
        (other, f"{ONE}/status"),
        (other, f"{ONE}/table/event"),
        (other, f"{ONE}/table/cmd/resign"),
        (other, f"{ONE}/table/ack/a"),
        (other, f"{OTHER}/table/cmd/resign"),
        (other, "homeassistant/device/dambord-table-1-table/config"),
    ]
    for who, topic in refused:
        who.publish(topic, b"refused", retain=True)
    allowed = [
        (station, f"{ONE}/status"),
        (station, f"{ONE}/table/state"),
        (station, f"{ONE}/table/event"),
        (station, f"{ONE}/table/ack/a"),
        (station, f"{ONE}/doctor"),
        (other, f"{OTHER}/table/state"),
    ]
    for who, topic in allowed:
        who.publish(topic, b"allowed")
    organiser.publish(f"{ONE}/table/cmd/pause", b"asked")
    for _, topic in allowed:
        hears(organiser, topic, b"allowed")
        if "/ack/" not in topic:
            hears(viewer, topic, b"allowed")
    hears(station, f"{ONE}/table/cmd/pause", b"asked")
    everybody = (viewer, organiser, station, other)
    assert not [heard for who in everybody for heard in who.heard if heard.payload == b"refused"]
    # A station hears its own commands and nothing else; a viewer none of those that others give.
    assert {heard.topic for heard in station.heard} == {f"{ONE}/table/cmd/pause", f"{ONE}/doctor"}
    assert not other.heard
    assert not [heard for heard in viewer.heard if "/cmd/" in heard.topic or "/ack/" in heard.topic]


def test_who_has_no_password_gets_in_nowhere(club, table):
    for login in (None, ("viewer", "guess"), ("stranger", "x")):
        for broker in (club, table):
            stranger = Listener(broker.port, login=login)
            stranger._client.publish(f"{ONE}/status", b"x", qos=0)
            assert not stranger._subscribed.wait(0.4)
            stranger.close()


def test_O36_the_bridge_carries_state_up_and_commands_down_and_waits_for_the_club(club, table, log_in):
    organiser = log_in(club.port, "organiser")
    hears(organiser, f"{ONE}/bridge", b"1")
    station, house = log_in(table.port, "table-1"), log_in(table.port, "homeassistant")
    station.publish(f"{ONE}/table/state", b"before", retain=True)
    station.publish("homeassistant/device/dambord-table-1-table/config", b"{}", retain=True)
    hears(organiser, f"{ONE}/table/state", b"before")
    hears(house, "homeassistant/device/dambord-table-1-table/config", b"{}")
    organiser.publish(f"{ONE}/table/cmd/pause", b"from the club")
    hears(station, f"{ONE}/table/cmd/pause", b"from the club")
    station.publish(f"{ONE}/table/ack/1", b"done")
    hears(organiser, f"{ONE}/table/ack/1", b"done")
    # The club's broker goes; what is played meanwhile arrives in order, and what is kept is there again.
    club.stop()
    events = [b"%d" % number for number in range(30)]
    for event in events:
        station.publish(f"{ONE}/table/event", event)
    station.publish(f"{ONE}/table/state", b"after", retain=True)
    club.start()
    back = log_in(club.port, "viewer")
    hears(back, f"{ONE}/table/state", b"after")
    organiser.wait(lambda _: len({heard.payload for heard in organiser.on(f"{ONE}/table/event")}) == 30, what="events")
    told = [heard.payload for heard in organiser.on(f"{ONE}/table/event")]
    assert [event for place, event in enumerate(told) if event not in told[:place]] == events
    assert not [heard for heard in organiser.heard + back.heard if heard.topic.startswith("homeassistant/")]
    # What runs on the table's own machine needs no password.
    local = Listener(table.own)
    local.publish(f"{ONE}/table/state", b"from here")
    hears(back, f"{ONE}/table/state", b"from here")
    local.close()
    # A table whose broker is gone is known to be.
    hears(back, f"{ONE}/bridge", b"1")
    table.stop()
    hears(back, f"{ONE}/bridge", b"0")
