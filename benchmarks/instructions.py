"""How many machine instructions a camera's pipeline takes for one picture, so that a smaller computer can be estimated.

python benchmarks/instructions.py

Counted by callgrind (valgrind), on one 1280x720 picture of a rendered board at rest: rectified, held against the hands
that may cover it, read, made evidence. What the program takes to start is subtracted. Without valgrind the CPU time is
all that can be told.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from engine.rules import rules_for
from engine.ruleset import load_ruleset
from vision.calibration import Refused, model_from
from vision.frame import Frame
from vision.known import watching
from vision.model import from_json
from vision.simulator.camera_board import CameraBoard, some_scene
from vision.simulator.lens import camera_over
from vision.watch import Seen, begun, watch

INTERNATIONAL = load_ruleset("international")
HOME = rules_for(INTERNATIONAL).start().contents
FEW, MORE = 3, 5
"""Pictures looked at: the first ones settle, each further one is read; fewer than are averaged."""


def main() -> int:
    """Count, and print."""
    print(told())
    return 0


def told() -> str:
    """Instructions and CPU time of one picture, in words."""
    with tempfile.TemporaryDirectory() as folder:
        _prepare(Path(folder))
        began = time.process_time()
        _look(Path(folder), FEW)
        middle = time.process_time()
        _look(Path(folder), MORE)
        cpu_ms = 1000 * ((time.process_time() - middle) - (middle - began)) / (MORE - FEW)
        if shutil.which("valgrind") is None:
            return f"{cpu_ms:.0f} ms CPU; not counted, valgrind is not installed"
        few, more = (_counted(folder, count) for count in (FEW, MORE))
    if few is None or more is None:
        return f"{cpu_ms:.0f} ms CPU; not counted, valgrind does not run NumPy or OpenCV here"
    return f"{(more - few) / (MORE - FEW) / 1e6:.0f} million instructions, {cpu_ms:.0f} ms CPU"


def _prepare(folder: Path) -> None:
    """A picture of the start position, and what calibration makes of it."""
    geometry = INTERNATIONAL.geometry
    scene = some_scene(geometry, np.random.default_rng(1))
    scene = replace(scene, camera=camera_over(10, 10, tilt=15, azimuth=90, width=1280, height=720))
    board = CameraBoard(geometry, scene, 1)
    empty = Frame(board.picture(0), 0)
    for cell, piece in zip(geometry.cells, HOME, strict=True):
        if piece:
            board.put(cell, piece, 0)
    picture = board.picture(0)
    model = model_from(empty, Frame(picture, 0), geometry, HOME)
    if isinstance(model, Refused):
        raise SystemExit(f"the rendered board was refused: {model.reason}")
    (folder / "model.json").write_text(model.to_json(), encoding="utf-8")
    np.save(folder / "picture.npy", picture)


def _look(folder: Path, count: int) -> None:
    """Watch the same picture so many times."""
    known = watching(from_json((folder / "model.json").read_bytes()), INTERNATIONAL.geometry, HOME)
    memory, picture, seen = begun(known.model), np.load(folder / "picture.npy"), None
    # Two pictures for the board to come to rest, not counted: they are in both runs.
    for number in range(count + 2):
        seen, memory = watch(known, memory, Frame(picture, 1000 + 200 * number))
    if count == MORE and not isinstance(seen, Seen):
        raise SystemExit(f"the board was not read: {seen}")


def _counted(folder: str, count: int) -> int | None:
    plain = {"OPENCV_CPU_DISABLE": "AVX512F,AVX512_SKX,AVX512_ICL", "OPENBLAS_CORETYPE": "Haswell"}
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable, __file__]
    environment = {**os.environ, **plain, "PYTHONPATH": str(Path(__file__).parents[1]), "OMP_NUM_THREADS": "1"}
    done = subprocess.run([*command, folder, str(count)], env=environment, capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    return int(found[1]) if found and done.returncode == 0 else None


if __name__ == "__main__":
    if len(sys.argv) == 3:
        _look(Path(sys.argv[1]), int(sys.argv[2]))
        raise SystemExit(0)
    raise SystemExit(main())
