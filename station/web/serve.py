"""Serves the page from a thread of its own."""

from __future__ import annotations

import errno
import socket
import threading

import uvicorn
from starlette.applications import Starlette

from station.web.errors import AddressError

START_S = 10.0
STOP_S = 2.0


class WebServer:
    """uvicorn in a thread. `port` 0 takes any free one; the attribute tells which once it has started."""

    def __init__(self, app: Starlette, host: str, port: int) -> None:
        self.host, self.port = host, port
        self._app = app
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """The address to open in a browser on this machine."""
        name = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "": "127.0.0.1"}.get(self.host, self.host)
        name = f"[{name}]" if ":" in name and not name.startswith("[") else name
        return f"http://{name}:{self.port}/"

    def start(self) -> None:
        """Return once the page can be opened; AddressError when it cannot be served at this address."""
        listening = _listen(self.host, self.port)
        self.port = listening.getsockname()[1]
        config = uvicorn.Config(
            self._app,
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        self._server = server = _Server(config)
        self._thread = threading.Thread(target=server.run, args=([listening],), name="web", daemon=True)
        self._thread.start()
        if not server.is_ready.wait(START_S):
            raise AddressError(f"the page's server did not start on {self.host}, port {self.port}")

    def stop(self) -> None:
        """End all connections and the thread, within 2 s; stopping twice does no harm."""
        if self._server is None or self._thread is None:
            return
        self._server.should_exit = True
        self._app.state.feed.hang_up()
        self._thread.join(STOP_S)
        self._server = self._thread = None


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_ready = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.is_ready.set()


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
        return socket.create_server((host, port), family=family, backlog=128)
    except OSError as error:
        raise AddressError(error.errno, _advice(error, host, port)) from None


def _advice(error: OSError, host: str, port: int) -> str:
    where = f"the page cannot be served on host {host}, port {port}"
    match error:
        case PermissionError():
            return f"{where}: ports below 1024 need privileges; choose a port such as 8080"
        case socket.gaierror():
            return f"{where}: this host is not known; use 127.0.0.1, 0.0.0.0 or a name of this machine"
    if error.errno == errno.EADDRINUSE:
        return f"{where}: another program uses this port; end it, or choose another port (0 takes any free one)"
    return f"{where}: {error.strerror}"
