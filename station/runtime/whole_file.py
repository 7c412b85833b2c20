"""A file of the station's folder that is there whole or not at all, however it is cut short."""

from __future__ import annotations

import os
import threading
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write a file in a folder of the station's own, made where it is missing; OSError leaves the file as it was.

    What root writes, who calibrates, belongs to the user whose station goes on with it: the owner of the station's
    folder, in which the file's own lies.
    """
    folder = path.parent
    folder.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(f".{threading.get_native_id()}.new")  # two boards may say that they are the same one
    with draft.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    if os.geteuid() == 0:
        owner = folder.parent.stat()
        for made in (folder, draft):
            os.chown(made, owner.st_uid, owner.st_gid)
    draft.replace(path)
