"""What the service tells systemd: that it is ready, that it is still alive, that it is ending (sd_notify(3))."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping

READY = "READY=1"
ALIVE = "WATCHDOG=1"
STOPPING = "STOPPING=1"


class Supervisor:
    """The socket of whoever started the service; where nobody listens, nothing is said."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        environment = os.environ if environment is None else environment
        address = environment.get("NOTIFY_SOCKET", "")
        self._address = f"\0{address[1:]}" if address.startswith("@") else address
        own = environment.get("WATCHDOG_PID", "") in ("", str(os.getpid()))
        usec = environment.get("WATCHDOG_USEC", "")
        self.wants_life = bool(self._address) and own and usec.isdecimal()
        """Whether the service is killed unless it says in time that it is alive."""

    def tell(self, *states: str) -> None:
        """Send states in one datagram; a socket that does not take them is no fault of the service."""
        if not self._address:
            return
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK) as channel:
            try:
                channel.sendto("\n".join(states).encode(), self._address)
            except OSError:
                return
