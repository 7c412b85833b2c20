"""Commands that run a station: run, check-config."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from dataclasses import replace
from pathlib import Path
from types import FrameType

from engine.errors import RulesetError
from station.arm_config import read_arm
from station.config import BoardTable, Config, MqttTable, read_config
from station.errors import ConfigError
from station.handling.arm import DRY_RUN, NOT_MOVING
from station.runtime.boards import driver_class, line_turns, misfit
from station.runtime.house_rules import house_rules
from station.runtime.known_arms import KnownArms
from station.runtime.places import shares_line
from station.runtime.service import Service
from station.runtime.supervisor import ALIVE, READY, STOPPING, Supervisor
from station.runtime.version import PROGRAM


def load(path: str) -> Config:
    """The configuration in a file, with the house rules of its folder.

    ConfigError says what is wrong, also with a house rule that a board plays by, or that there is none.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise ConfigError(f"{path}: no such file, expected a configuration (see deploy/station.toml)") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: byte {error.start} is no UTF-8, expected a text") from error
    house = house_rules(Path(path).parent, Path(path))
    config = read_config(text, path, house.rulesets, house.faults)
    known = KnownArms(Path(config.station.data))
    return replace(config, boards=tuple(_with_arm(table, Path(path).parent, known) for table in config.boards))


def _with_arm(table: BoardTable, folder: Path, known: KnownArms) -> BoardTable:
    """A board with what file and calibration of its arm say; an arm without either is not moved."""
    if table.arm in ("", DRY_RUN, *NOT_MOVING):
        return table
    from station.runtime.arms import arm_class

    arm_class(table.arm)
    if not table.arm_file:
        return table
    file = folder / table.arm_file
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: {error}; expected how the arm is built (see deploy/arms)") from error
    setup = read_arm(text, str(file), table.arm, table.ruleset, known.of(table.id))
    return replace(table, arm_setup=setup)


def missing_ports(config: Config, path: str) -> list[str]:
    """One sentence for each board whose port is not there."""
    return [
        f"{path}: boards {number}: port = {table.port!r}: no such port, expected a board plugged in there"
        for number, table in enumerate(config.boards, 1)
        if table.port and not _is_there(table)
    ]


def _is_there(table: BoardTable) -> bool:
    """Whether something is plugged in at a table's port, as far as can be told without opening it."""
    if table.driver == "camera":
        from vision.camera import is_there

        return is_there(table.port)
    return Path(table.port).exists()


def misfits(config: Config, path: str) -> list[str]:
    """One sentence for each board that is not made in the size of its variant, or cannot be where it is said to be."""
    faults = []
    for number, table in enumerate(config.boards, 1):
        found = (misfit(table.driver, table.ruleset), _line_fault(table, config))
        faults += [f"{path}: boards {number}: {fault}" for fault in found if fault]
    return faults


def _line_fault(table: BoardTable, config: Config) -> str | None:
    """What is wrong with a board at a port that others are at too, None when nothing is."""
    others = [other for other in config.boards if shares_line(table, other)]
    turns = line_turns(table.driver)
    if others and (turns is None or any(other.driver != table.driver for other in others)):
        names = ", ".join(other.id for other in others)
        return f"{table.place}: found {names} there too, expected a port of its own, or driver = 'dgt-bus' for all"
    if others and not table.unique_id:
        return "unique_id: found none, expected the number of the board on the line"
    try:
        if turns is not None:
            from station.runtime.conversations import new_driver

            new_driver(table)
    except ConfigError as error:
        return str(error)
    return None


def check_config(options: argparse.Namespace) -> int:
    """Say whether a configuration is right; starts nothing."""
    faults = []
    try:
        config = load(options.file)
        for table in config.boards:
            driver_class(table.driver)
        faults = misfits(config, options.file)
        if not options.without_devices:
            faults = missing_ports(config, options.file) + faults
    except (ConfigError, RulesetError) as error:
        faults = [str(error)]
    if options.json:
        from station.runtime.game_commands import print_json

        print_json({"ok": not faults, "faults": faults})
    elif not faults:
        print(f"{options.file}: all right")
    for fault in faults:
        print(f"dambord: {fault}", file=sys.stderr)
    return 2 if faults else 0


def run(options: argparse.Namespace) -> int:
    """Run the service until it is told to end."""
    config = load(options.config)
    for fault in misfits(config, options.config):
        raise ConfigError(fault)
    for fault in missing_ports(config, options.config):
        print(f"dambord: {fault}; waiting for it", file=sys.stderr)
    run_until_told(Service(config))
    return 0


def told_to_end() -> threading.Event:
    """Set when this process is told to end; when it is told so again, it ends at once."""
    told = threading.Event()

    def tell(_signal: int, _frame: FrameType | None) -> None:
        if told.is_set():
            sys.exit(1)
        told.set()

    signal.signal(signal.SIGTERM, tell)
    signal.signal(signal.SIGINT, tell)
    return told


def run_until_told(service: Service) -> None:
    """Run a station until this process is told to end."""
    told = told_to_end()
    supervisor = Supervisor()
    service.start()
    assert service.page is not None
    print(f"Dambord is running: {service.page.url}", flush=True)
    supervisor.tell(READY, f"STATUS={PROGRAM}: {service.page.url}")
    while not told.wait(1.0):
        if service.loop.failure is not None:
            raise service.loop.failure
        if supervisor.wants_life:
            _tell_of_life(service, supervisor)
    supervisor.tell(STOPPING)
    service.stop()


def _tell_of_life(service: Service, supervisor: Supervisor) -> None:
    """Say that the service is alive, unless a part of it hangs: then it is to be started again."""
    stuck = service.stuck()
    if stuck:
        supervisor.tell(f"STATUS={stuck} hangs; waiting to be started again")
    else:
        supervisor.tell(ALIVE)


def broker_table(address: str, option: str) -> MqttTable:
    """The broker that an option of a command names."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise ConfigError(f"{option} {address}: expected HOST:PORT")
    return MqttTable(host=host, port=int(port))
