"""The command that runs a club: the wall of all boards on a broker, and the archive of their games."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from station.club.app import create_app
from station.club.archive import Archive
from station.club.config import ClubConfig, read_club_config
from station.config import MqttTable
from station.errors import ConfigError
from station.runtime.clock import Clock
from station.runtime.club_worker import ClubWorker
from station.runtime.folder import Folder
from station.runtime.running import broker_table, told_to_end
from station.web import Feed, WebServer

USUAL = "/etc/dambord/club.toml"


class ClubService:
    """Everything a club runs; start() returns when its pages can be opened."""

    def __init__(self, config: ClubConfig) -> None:
        self.config = config
        self._folder = _held(Path(config.club.data))
        feed = Feed()
        self.worker = ClubWorker(config, Archive(config.club.archive), feed, Clock())
        app = create_app(
            feed,
            self.worker,
            config.club.archive,
            name=config.club.name,
            language=config.club.language,
            allowed_hosts=config.web.allowed_hosts,
        )
        self.page = WebServer(app, config.web.host, config.web.port)

    def start(self) -> None:
        """Serve the pages, and begin to listen; AddressError when their address is taken."""
        try:
            self.page.start()
        except OSError:
            self._let_go()
            raise
        self.worker.start()

    def stop(self) -> None:
        """End all threads; what was heard is in the archive."""
        self.worker.stop()
        self.page.stop()
        self._let_go()

    def _let_go(self) -> None:
        if self._folder is not None:
            self._folder.let_go()


def _held(path: Path) -> Folder | None:
    """The folder, for this club alone; None on a disk that cannot be written to: games are kept in memory then."""
    try:
        return Folder(path)
    except OSError as error:
        print(f"club: data = {str(path)!r}: {error.strerror}", file=sys.stderr)
        return None


def club(options: argparse.Namespace) -> int:
    """Run a club until it is told to end."""
    service = ClubService(_config(options))
    told = told_to_end()
    service.start()
    print(f"The wall is at {service.page.url}", flush=True)
    told.wait()
    service.stop()
    return 0


def _config(options: argparse.Namespace) -> ClubConfig:
    """What the file says, and what the command line says otherwise."""
    config = _read(options.config)
    if options.broker:
        named: MqttTable = broker_table(options.broker, "--broker")
        config = replace(config, mqtt=replace(config.mqtt, host=named.host, port=named.port))
    if options.data:
        config = replace(config, club=replace(config.club, data=options.data))
    web = {name: value for name in ("host", "port") if (value := getattr(options, name)) is not None}
    return replace(config, web=replace(config.web, **web))


def _read(path: str | None) -> ClubConfig:
    if path is None and not Path(USUAL).exists():
        return ClubConfig()
    file = Path(path or USUAL)
    try:
        return read_club_config(file.read_text(encoding="utf-8"), str(file))
    except FileNotFoundError as error:
        raise ConfigError(f"{file}: no such file, expected a configuration (see deploy/club.toml)") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: byte {error.start} is no UTF-8, expected a text") from error
