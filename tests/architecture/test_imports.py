"""Every module can be loaded, on whatever machine the wheel is for, and a start loads what it needs."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys

import pytest

PACKAGES = ("engine", "firmware_bridge", "station", "vision")
PROGRAMS = ("__main__",)
"""What runs when it is loaded."""


@pytest.mark.portable
@pytest.mark.parametrize("package", PACKAGES)
def test_every_module_is_loaded(package):
    pytest.importorskip("cv2")
    found = importlib.import_module(package)
    names = [module.name for module in pkgutil.walk_packages(found.__path__, f"{package}.")]
    assert len(names) > 10
    for name in names:
        if not name.endswith(PROGRAMS):
            assert importlib.import_module(name).__name__ == name


PATH_TO_THE_FIRST_FRAME = """
import sys
from station.runtime.running import load, misfits
from station.runtime.service import Service
config = load(sys.argv[1])
assert not misfits(config, sys.argv[1])
Service(config)
print(*sys.modules)
"""
NOT_NEEDED = (
    *("asyncio", "babel", "cv2", "email", "logging", "numpy", "paho", "rich", "sqlite3", "ssl", "starlette", "uvicorn"),
    *("engine.ballot", "engine.hub", "engine.kernel", "engine.pdn", "station.runtime.arms", "station.web"),
    *("firmware_bridge.arms", "firmware_bridge.gpio", "firmware_bridge.simulator", "vision"),
)
"""What takes a small machine long to load, and a board, its game and its journal do without."""


def test_a_board_is_read_before_what_it_does_not_need_is_loaded(tmp_path):
    board = 'id = "table"\ndriver = "matrix"\nport = "/dev/none"\nvariant = "russian"\nblack = "engine:4"\n'
    config = tmp_path / "station.toml"
    config.write_text(f'[station]\ndata = "{tmp_path}/data"\n[[boards]]\n{board}')
    command = [sys.executable, "-c", PATH_TO_THE_FIRST_FRAME, config]
    said = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    assert "firmware_bridge.boards.matrix" in said.split()
    assert [name for name in NOT_NEEDED if name in said.split()] == []
