"""Why a port cannot be used, in the words of `dambord doctor`."""

from __future__ import annotations

import errno
import getpass
import grp
import os
from contextlib import suppress
from pathlib import Path

from firmware_bridge.errors import PortLost
from firmware_bridge.serial_port import Listing, ports
from station.texts import Texts


def why_lost(port: str, usb_serial: str, lost: PortLost, texts: Texts) -> tuple[str, dict[str, str]]:
    """The word for a port that cannot be used, and what its sentence needs."""
    path = port or next((path for path, serial in ports() if serial == usb_serial), "")
    if not path or not os.path.lexists(path) or lost.number in (errno.ENOENT, errno.ENODEV):
        return "board_not_found", {}
    if lost.number in (errno.EACCES, errno.EPERM):
        return "no_permission", {"port": path, "user": _user(), "group": _group(path)}
    if lost.number in (errno.EBUSY, errno.EAGAIN):
        return "port_taken", {"port": path, "holder": holder(path) or texts.say("doctor.another")}
    return "no_port", {"port": path, "reason": lost.reason}


def holder(path: str) -> str | None:
    """The program that has a device open, as far as this user may see; None when it cannot be told."""
    device = os.path.realpath(path)
    for process in sorted(Path("/proc").glob("[0-9]*")):
        if process.name == str(os.getpid()):
            continue
        with suppress(OSError):
            if any(os.path.realpath(end) == device for end in (process / "fd").iterdir()):
                return f"{(process / 'comm').read_text().strip()} (process {process.name})"
    return None


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def _group(path: str) -> str:
    with suppress(OSError, KeyError):
        return grp.getgrgid(Path(path).stat().st_gid).gr_name
    return "dialout"


def listed(found: Listing, texts: Texts) -> str:
    """The ports that are plugged in, as a person reads them."""
    return ", ".join(f"{port} ({serial})" if serial else port for port, serial in found) or texts.say("doctor.nothing")
