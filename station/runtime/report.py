"""`dambord report`: one file to attach to an issue, without secrets; `dambord backup`: one file with all games."""

from __future__ import annotations

import argparse
import io
import os
import platform
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec

from firmware_bridge.serial_port import ports
from station.config import Config
from station.errors import ConfigError, JournalError
from station.events import BoardSeen
from station.journal import Header, Line, salvage
from station.runtime.clock import Clock, wall_text
from station.runtime.house_rules import house_rules
from station.runtime.outbox import copy_database
from station.runtime.running import load
from station.runtime.service import journals
from station.runtime.version import VERSION

MOST_BYTES = 32_000_000
"""A journal longer than this (weeks of play) is left out; packed it takes a tenth."""
LOG_LINES = "500"
GONE = "(left out)"
_SECRET = re.compile(r"(?i)(password|passwd|passphrase|secret|token|api_?key)$|(^|_)pin$")
_SECRET_LINE = re.compile(
    r"(?im)^(\s*#?\s*(?:\w*(?:password|passwd|passphrase|secret|token|api_?key)|(?:\w*_)?pin)\s*=\s*)(.*)$"
)
_URL = re.compile(r"\b([a-z][a-z0-9+.-]*)://[^\s\"'<>]+", re.IGNORECASE)
JOURNAL = "journal/{board}.jsonl"


def report(options: argparse.Namespace) -> int:
    """Write what helps to find a fault into one file, without passwords, PINs and addresses."""
    clock = Clock()
    path = Path(options.config)
    config, fault = _read(path)
    target = Path(options.output or f"dambord-report-{clock.boot}.zip")
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    secrets = secrets_of(text, config)
    found = {board.id: _latest(Path(config.station.data) / "journal" / board.id) for board in config.boards}
    summary = {
        "report": 1,
        "at": wall_text(clock.began),
        "versions": versions(),
        "configuration": fault or "all right",
        "house_rules": sorted(house_rules(path.parent, path).rulesets),
        "devices": [{"port": port, "usb_serial": serial} for port, serial in ports()],
        "boards": {board: statistics(name, data) for board, (name, data) in found.items()},
    }
    parts = {
        "report.json": msgspec.json.format(msgspec.json.encode(summary), indent=1),
        "station.toml": text.encode(),
        "log.txt": _log(),
        **{JOURNAL.format(board=board): data for board, (_, data) in found.items() if len(data) <= MOST_BYTES},
    }
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, without_secrets(data.decode("utf-8", errors="replace"), secrets))
    print(f"{target}: {target.stat().st_size // 1000} kB, without passwords, PINs and addresses; look, then send it")
    return 0


def _read(path: Path) -> tuple[Config, str]:
    """The configuration, and what is wrong with it: a report is wanted most when something is."""
    try:
        return load(str(path)), ""
    except (ConfigError, OSError, ValueError) as error:
        return Config(), str(error)


def secrets_of(text: str, config: Config) -> frozenset[str]:
    """Every secret that a configuration states or names the file of."""
    found: set[str] = set()
    with suppress(tomllib.TOMLDecodeError):
        found |= {str(value) for key, value in _leaves(tomllib.loads(text)) if _SECRET.search(key)}
    for file in (config.mqtt.password_file if config.mqtt else "", config.web.pin_file):
        if file:
            with suppress(OSError, UnicodeDecodeError):
                found.add(Path(file).read_text(encoding="utf-8").strip())
    return frozenset(found - {""})


def _leaves(table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        tables = (
            [value]
            if isinstance(value, dict)
            else [v for v in value if isinstance(v, dict)]
            if isinstance(value, list)
            else []
        )
        for inner in tables:
            yield from _leaves(inner)
        if not tables:
            yield key, value


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """A text without these words, values of keys that hold secrets, and what URLs lead to."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, GONE) if not secret.isdecimal() else re.sub(rf"(?<!\d){secret}(?!\d)", GONE, text)
    text = _SECRET_LINE.sub(rf'\1"{GONE}"', text)
    return _URL.sub(rf"\1://{GONE}", text)


def versions() -> dict[str, str]:
    """What runs here: program, Python, system, machine, and every library that is installed beside it."""
    model = Path("/proc/device-tree/model")
    libraries = {item.metadata["Name"]: item.version for item in metadata.distributions() if item.metadata["Name"]}
    with suppress(OSError, KeyError):
        libraries["system"] = platform.freedesktop_os_release()["PRETTY_NAME"]
    with suppress(OSError):
        libraries["model"] = model.read_text(encoding="ascii", errors="replace").strip("\0\n ")
    here = {
        "dambord": VERSION,
        "python": sys.version.split()[0],
        "machine": platform.machine(),
        "kernel": platform.release(),
    }
    return {**dict(sorted(libraries.items())), **here}


def _latest(folder: Path) -> tuple[str, bytes]:
    """A board's latest journal: its name and what it holds; empty where there is none."""
    for path in journals(folder)[:1]:
        with suppress(OSError):
            return path.name, path.read_bytes()
    return "", b""


def statistics(name: str, data: bytes) -> dict[str, Any]:
    """What a journal tells of a board's sensors: how often each square changed, which were weak, what was lost."""
    if not data:
        return {"journal": "none"}
    try:
        header, lines, faults = salvage(data, name)
    except JournalError as error:
        return {"journal": name, "fault": str(error)}
    return {"journal": name, "bytes": len(data), "faults": list(faults)[:20], **_counted(header, lines)}


def _counted(header: Header, lines: Iterable[Line]) -> dict[str, Any]:
    kinds: Counter[str] = Counter()
    changes: Counter[int] = Counter()
    weak: Counter[int] = Counter()
    before: tuple[Any, ...] | None = None
    for line in lines:
        if line.effect is not None:
            kinds[str(line.effect.get("effect"))] += 1
            continue
        kinds[type(line.event).__name__] += 1
        if isinstance(line.event, BoardSeen):
            seen = line.event.view.seen
            changes.update(
                place for place, pair in enumerate(zip(seen, before or seen, strict=False)) if pair[0] != pair[1]
            )
            weak.update(line.event.view.weak)
            before = seen
    most = {str(square): count for square, count in changes.most_common(12)}
    told = {str(square): count for square, count in weak.most_common(12)}
    return {"program": header.program, "counts": dict(kinds), "changes_of_square": most, "weak_square": told}


def _log() -> bytes:
    """What the service said last, where systemd keeps it and this user may read it."""
    command = ["journalctl", "--unit", "dambord", "--lines", LOG_LINES, "--no-pager", "--output", "short-iso"]
    try:
        return subprocess.run(command, capture_output=True, check=False, timeout=20).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"no log: {error}\n".encode()


def journals_in(path: Path) -> Iterator[tuple[str, bytes]]:
    """The journals in a report, each with its name; of another file the file itself."""
    if not zipfile.is_zipfile(path):
        yield str(path), path.read_bytes()
        return
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.startswith("journal/") and archive.getinfo(name).file_size]
        if not names:
            raise JournalError(f"{path}: a report without a journal, expected one of a board that was played on")
        for name in names:
            yield f"{path}:{name}", archive.read(name)


NOT_KEPT = ("endings", "lock", "outbox.sqlite-wal", "outbox.sqlite-shm")
"""Tables can be made again; the rest belongs to a running station."""


def backup(options: argparse.Namespace) -> int:
    """Write games, what is known of boards, and the configuration into one file; a station may be running."""
    path, target = Path(options.config), Path(options.output)
    data = Path(load(str(path)).station.data)
    if target.exists():
        raise ConfigError(f"{target}: there already, expected the name of a new file")
    unfinished = target.with_name(f".{target.name}.unfinished")
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        with tarfile.open(fileobj=file, mode="w:gz") as archive:
            count = sum(_add_file(archive, item, "data" / item.relative_to(data)) for item in _kept(data))
            for item in sorted(path.parent.glob("*.toml")) + sorted(path.parent.glob("variants/*.toml")):
                _add_file(archive, item, "config" / item.relative_to(path.parent))
        os.fsync(file.fileno())
    unfinished.rename(target)
    print(f"{target}: {count} files of {data} and the configuration, {target.stat().st_size // 1000} kB")
    return 0


def _kept(data: Path) -> list[Path]:
    files = (item for item in sorted(data.rglob("*")) if item.is_file() and not item.is_symlink())
    return [item for item in files if item.relative_to(data).parts[0] not in NOT_KEPT]


def _add_file(archive: tarfile.TarFile, item: Path, name: Path) -> int:
    """Add a file as it is now, be it growing or a database in use."""
    if item.suffix != ".sqlite":
        content = item.read_bytes()
    else:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / item.name
            copy_database(item, copy)
            content = copy.read_bytes()
    entry = tarfile.TarInfo(str(name))
    entry.size, entry.mtime, entry.mode = len(content), int(item.stat().st_mtime), 0o600
    archive.addfile(entry, io.BytesIO(content))
    return 1
