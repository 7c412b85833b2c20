"""`dambord doctor`: looks at everything a station is made of, and says in a line each what works and what to do."""

from __future__ import annotations

import argparse
import itertools
import os
from collections.abc import Iterable
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

from engine.rules import rules_for
from firmware_bridge.driver import Calibration
from firmware_bridge.errors import PortLost
from firmware_bridge.serial_port import Listing, is_pattern, paths_like, ports
from station.calibrating import fixed_turn
from station.checkup import SPOILT, Finding, check_board
from station.config import BoardTable, Config, MqttTable
from station.errors import ConfigError
from station.ports import BoardDriver, Troubled
from station.runtime.conversations import Conversation, new_driver, open_port
from station.runtime.doctor_arm import examine_arm
from station.runtime.game_commands import print_json
from station.runtime.known_boards import KnownBoards
from station.runtime.lost_ports import listed, why_lost
from station.runtime.places import paths_of
from station.runtime.running import load
from station.texts import Texts, load_texts

USUAL = "/etc/dambord/station.toml"
WATCH_S = 4.0
"""How long a board is watched: a weak magnet drops out several times in this time."""


def doctor(options: argparse.Namespace) -> int:
    """Say of each part whether it works; 1 when something does not."""
    given = options.config
    path = USUAL if given is None else given
    is_there = given is not None or Path(path).exists()
    config = load(path) if is_there else Config()
    texts = load_texts(config.station.language)
    findings: list[Finding] = []
    first = _of_configuration(path, config if is_there else None, texts)
    for part in itertools.chain([[first]], examination(config, texts, ports(), options.seconds)):
        findings += part
        for finding in () if options.json else part:
            print(f"{'ok   ' if finding.fault is None else 'WRONG'} {finding.sentence}", flush=True)
    is_well = all(finding.fault is None for finding in findings)
    if options.json:
        print_json({"ok": is_well, "findings": findings})
    return 0 if is_well else 1


def examination(config: Config, texts: Texts, found: Listing, watch_s: float) -> Iterable[list[Finding]]:
    """What is found, part by part."""
    for table in config.boards:
        yield examine(table, config, texts, found, watch_s)
        yield examine_arm(table, texts, found)
    yield strangers(config.boards, texts, found)
    if config.mqtt is not None:
        yield [_of_broker(config.mqtt, config.station.id, texts)]


def _of_configuration(path: str, config: Config | None, texts: Texts) -> Finding:
    if config is None:
        return Finding("configuration", path, None, texts.say("doctor.no_configuration", path=path))
    sentence = texts.say("doctor.configuration", path=path, count=str(len(config.boards)))
    return Finding("configuration", path, None, sentence)


def strangers(tables: Iterable[BoardTable], texts: Texts, found: Listing) -> list[Finding]:
    """The ports that the configuration does not name: named, and left alone."""
    tables = tuple(tables)
    arms = [table.arm_setup for table in tables if table.arm_setup is not None]
    places = [(table.port, table.usb_serial) for table in tables] + [(arm.port, arm.usb_serial) for arm in arms]
    named = {os.path.realpath(port) for port, _ in places if port}
    serials = {serial for _, serial in places if serial}
    patterns = {table.port for table in tables if is_pattern(table.port)}
    for pattern in patterns:
        with suppress(PortLost):
            named |= {os.path.realpath(path) for path in paths_like(pattern, found)}
    others = [(port, serial) for port, serial in found if os.path.realpath(port) not in named and serial not in serials]
    if not others:
        return [Finding("port", "", None, texts.say("doctor.no_devices"))]
    return [
        Finding(
            "port",
            port,
            None,
            texts.say("doctor.unknown_device", port=port, serial=f" (USB serial number {serial})" if serial else ""),
        )
        for port, serial in others
    ]


def examine(table: BoardTable, config: Config, texts: Texts, found: Listing, watch_s: float) -> list[Finding]:
    """What is found of a board, by talking to it for so long; of several ports, at the one where it answers."""
    if is_pattern(table.port):
        with suppress(PortLost):
            named = [replace(table, port=path) for path in paths_of(table, lambda: found, config.boards)]
            each = [examine(one, config, texts, found, watch_s) for one in named]
            return next((findings for findings in each if findings[0].fault is None), each[0])
    words = {"name": table.id, "place": table.place, "driver": table.driver, "ports": listed(found, texts)}

    def wrong(fault: str, **more: str) -> list[Finding]:
        return [Finding("board", table.id, fault, texts.say(f"doctor.{fault}", **words, **more))]

    try:
        driver = new_driver(table)
    except ConfigError as error:
        return wrong("no_driver", reason=str(error))
    if table.driver == "camera":
        _recall(driver, table, Path(config.station.data))
    try:
        with closing(open_port(table, driver, found)) as port:
            return _talk(table, config, Conversation(driver, port), texts, watch_s)
    except PortLost as lost:
        if table.pins is not None:
            is_missing = isinstance(lost.__cause__, ImportError)
            return wrong("no_library" if is_missing else "no_pins", reason=lost.reason)
        fault, more = why_lost(table.port, table.usb_serial, lost, texts)
        return wrong(fault, **more)


def _talk(table: BoardTable, config: Config, talk: Conversation, texts: Texts, watch_s: float) -> list[Finding]:
    """What a board says of itself, and what its squares show."""
    is_usable = talk.begin()
    driver, device = talk.driver, talk.device
    words = {"name": table.id, "place": table.place, "driver": table.driver}

    def wrong(fault: str, **more: str) -> list[Finding]:
        return [Finding("board", table.id, fault, texts.say(f"doctor.{fault}", **words, **more))]

    if not is_usable:
        if driver.problem is not None:
            fault = driver.trouble if isinstance(driver, Troubled) and driver.trouble else "wrong_board"
            return wrong(fault, problem=driver.problem)
        heard = texts.say("doctor.bytes", number=str(talk.heard_bytes))
        return wrong("silent", heard=heard if talk.heard_bytes else texts.say("doctor.silence"))
    assert device is not None
    if table.unique_id and device.unique_id != table.unique_id:
        for other in config.boards:
            if other.unique_id == device.unique_id:
                return [Finding("board", table.id, None, texts.say("doctor.swapped", other=other.id, **words))]
        return wrong("wrong_id", found=device.unique_id, wanted=table.unique_id)
    turned = fixed_turn(_known(config, device.unique_id or table.id), device)
    if turned is not None and table.turned is None:
        talk = Conversation(new_driver(table, turned), talk.port)
        talk.begin()
        driver = talk.driver
    talk.run(round(watch_s * 1000))
    said = {"device": device.name, "firmware": device.firmware, "id": device.unique_id}
    found = [Finding("board", table.id, None, texts.say("doctor.board", **words, **said))]
    if driver.problem is not None:
        return [*found, *wrong("board_reports", problem=driver.problem)]
    ruleset = table.ruleset
    if talk.is_stopped:
        found.append(Finding("board", table.id, "stop", f"{table.id}: {texts.say('stop.pressed')}"))
    if talk.views:
        found += check_board(table.id, ruleset, rules_for(ruleset).start().contents, talk.views, texts)
    counters = driver.counters
    if counters.dropped > SPOILT * (counters.packets + counters.dropped):
        every = str(counters.packets + counters.dropped)
        found += wrong("spoilt", dropped=str(counters.dropped), packets=every)
    return found


def _recall(driver: BoardDriver, table: BoardTable, data: Path) -> None:
    """Gives a camera's driver what is known of its board."""
    from station.runtime.album import album_of

    album_of(table, data, "").open(driver)


def _known(config: Config, unique_id: str) -> Calibration:
    """What was learned of a board when it was calibrated."""
    with suppress(OSError, ValueError):
        return KnownBoards(Path(config.station.data)).of(unique_id)
    return Calibration()


def _of_broker(table: MqttTable, station: str, texts: Texts) -> Finding:
    from station.runtime.broker import DENIED, try_broker

    own = f"{table.base}/{station}"
    words = {"host": table.host, "port": str(table.port)}
    reason = try_broker(table, own=own)
    if reason is None:
        return Finding("broker", table.host, None, texts.say("doctor.broker", **words))
    if reason == DENIED:
        return Finding("broker", table.host, DENIED, texts.say("doctor.broker_denies", **words, topic=f"{own}/#"))
    return Finding("broker", table.host, "no_broker", texts.say("doctor.no_broker", **words, reason=reason))
