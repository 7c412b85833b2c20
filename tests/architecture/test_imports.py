"""Every module can be loaded, on whatever machine the wheel is for."""

from __future__ import annotations

import importlib
import pkgutil

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
