"""club.toml read into frozen values, every key and bound checked; each fault is one sentence."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field

from station.config import Check, MqttTable, WebTable, filled, nearest, one_of, section
from station.errors import ConfigError
from station.texts import languages


@dataclass(frozen=True, slots=True)
class ClubTable:
    """[club]."""

    name: str = "Dambord"
    """What the wall is called, and the event in PDN."""
    language: str = "en"
    data: str = "/var/lib/dambord-club"
    database: str = ""
    """The address of a PostgreSQL server (`postgresql://...`); empty: a file in `data`."""

    @property
    def archive(self) -> str:
        """Where the archive is: the server's address, or a path."""
        return self.database or f"{self.data}/archive.sqlite"


@dataclass(frozen=True, slots=True)
class ClubConfig:
    """A whole configuration of a club."""

    club: ClubTable = field(default_factory=ClubTable)
    mqtt: MqttTable = field(default_factory=MqttTable)
    web: WebTable = field(default_factory=WebTable)


def _database(value: object) -> str | None:
    right = isinstance(value, str) and (not value or value.startswith(("postgresql://", "postgres://")))
    return None if right else "postgresql://USER@HOST/NAME; leave it out for a file"


_CHECKS: dict[str, Check] = {
    "name": filled,
    "language": one_of(languages()),
    "data": filled,
    "database": _database,
}
_SECTIONS = ("club", "mqtt", "web")


def read_club_config(text: str, where: str = "club.toml") -> ClubConfig:
    """The configuration that a TOML text states; ConfigError names file, key, value and what was expected."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where}: not TOML: {error}") from error
    for key in tables:
        if key not in _SECTIONS:
            raise ConfigError(f"{where}: [{key}]: no such section{nearest(key, _SECTIONS)}")
    return ClubConfig(
        club=section(ClubTable, tables.get("club", {}), f"{where}: club", _CHECKS),
        mqtt=section(MqttTable, tables.get("mqtt", {}), f"{where}: mqtt"),
        web=section(WebTable, tables.get("web", {}), f"{where}: web"),
    )
