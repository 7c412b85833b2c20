"""A camera as a program of its own, at the other end of a Unix socket: it sends whatever picture it is given."""

from __future__ import annotations

import contextlib
import json
import select
import socket
import threading

import numpy as np

PERIOD_S = 0.12


class CameraProcess:
    """Listens where a station connects; a camera that is unplugged closes its socket and takes it away."""

    def __init__(self, path):
        self.path, self.picture = path, None
        self.locked = []
        self._plugged = None

    def plug(self):
        """Begin to listen."""
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listening.bind(str(self.path))
        listening.listen()
        self._plugged = threading.Event()
        self._thread = threading.Thread(target=self._serve, args=(listening, self._plugged), daemon=True)
        self._thread.start()

    def unplug(self):
        """The plug is pulled."""
        self._plugged.set()
        self._thread.join()
        self.path.unlink()

    def _serve(self, listening, unplugged):
        listening.settimeout(0.1)
        number = 0
        with listening:
            while not unplugged.is_set():
                with contextlib.suppress(OSError):
                    peer, _ = listening.accept()
                    peer.settimeout(20)
                    with peer:
                        while not unplugged.wait(PERIOD_S):
                            number += 1
                            peer.sendall(self._packet(number))
                            self._hear(peer)

    def _packet(self, number):
        picture = self.picture
        noise = np.random.default_rng(number).integers(-2, 3, picture.shape)
        data = np.clip(picture + noise, 0, 255).astype(np.uint8).tobytes()
        height, width = picture.shape[:2]
        head = {"camera": "bench", "format": "bgr", "width": width, "height": height, "bytes": len(data)}
        metadata = {"exposure_us": 10_000, "gain": 2.0}
        return json.dumps(head | {"metadata": metadata}).encode() + b"\n" + data

    def _hear(self, peer):
        if select.select([peer], (), (), 0)[0]:
            self.locked += [json.loads(line) for line in peer.recv(4096).splitlines()]
