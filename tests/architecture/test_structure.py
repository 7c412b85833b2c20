"""The tree is what ARCHITECTURE.md says it is."""

from __future__ import annotations

import ast
import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("engine", "firmware_bridge", "station", "vision")
SHELL = ("station.runtime", "station.web", "station.club.app", "station.club.archive", "station.club.database")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def modules(package: str):
    for path in sorted((ROOT / package).rglob("*.py")):
        yield path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__"), path


def contract(start: str):
    return next(item for item in PROJECT["tool"]["importlinter"]["contracts"] if item["name"].startswith(start))


def test_every_module_of_the_station_is_pure_or_shell():
    pure = contract("the core is pure")["source_modules"]
    homeless = [
        name
        for name, _ in modules("station")
        if name not in ("station", "station.club")
        and not name.startswith(SHELL)
        and not any(name.startswith(known) for known in pure)
    ]
    assert homeless == []


def test_every_codec_of_the_bridge_does_no_io():
    listed = contract("codecs and drivers")["source_modules"]
    edges = tuple(
        f"firmware_bridge.{edge}" for edge in ("firmware", "simulator", "serial_port", "gpio", "wiring", "errors")
    )
    homeless = [
        name
        for name, _ in modules("firmware_bridge")
        if name != "firmware_bridge"
        and not name.startswith(edges)
        and not any(name.startswith(known) for known in listed)
    ]
    assert homeless == []


def test_every_package_is_in_the_wheel():
    found = {
        path.parent.relative_to(ROOT).as_posix().replace("/", ".")
        for package in PACKAGES
        for path in (ROOT / package).rglob("__init__.py")
    }
    assert found == set(PROJECT["tool"]["setuptools"]["packages"])


@pytest.mark.parametrize("package", PACKAGES)
def test_every_module_says_what_it_is_for(package):
    silent = [name for name, path in modules(package) if not ast.get_docstring(ast.parse(path.read_text()))]
    assert silent == []


def imports_of(path: Path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def test_a_simulated_camera_shares_no_code_with_what_looks_at_its_pictures():
    used = {module for path in (ROOT / "vision/simulator").glob("*.py") for module in imports_of(path)}
    ours = {module for module in used if module.startswith(PACKAGES)}
    assert [module for module in sorted(ours) if not module.startswith(("vision.simulator.", "engine."))] == []


@pytest.mark.parametrize(
    ("library", "door"),
    [
        ("serial", {"firmware_bridge.serial_port"}),
        ("RPi", {"firmware_bridge.gpio"}),
        ("paho", {"station.runtime.broker"}),
        ("uvicorn", {"station.web.serve"}),
        ("segno", {"station.web.codes"}),
        ("sqlite3", {"station.runtime.outbox", "station.club.database"}),
    ],
)
def test_a_library_has_one_door(library, door):
    users = {
        name
        for package in PACKAGES
        for name, path in modules(package)
        if any(module.split(".")[0] == library for module in imports_of(path))
    }
    assert users == door


def test_only_the_simulation_and_the_measuring_make_chance():
    users = {
        name
        for package in PACKAGES
        for name, path in modules(package)
        if "random" in set(imports_of(path)) and "Random(" in path.read_text().replace("Random()", "")
    }
    allowed = ("station.runtime.", "firmware_bridge.simulator.")
    assert [name for name in sorted(users) if not name.startswith(allowed)] == []


@pytest.mark.parametrize(
    ("file", "planted", "chain"),
    [
        ("engine/game.py", "import time", "engine.game -> time"),
        ("engine/kernel/tables.py", "import random", "engine.kernel.tables -> random"),
        ("station/session.py", "import engine.kernel.counting", "station.session -> engine.kernel.counting"),
        ("engine/game.py", "from engine.kernel import tables", "engine.game -> engine.kernel.tables"),
    ],
)
def test_a_planted_violation_is_reported(tmp_path, file, planted, chain):
    """The contracts bite: a copy of the tree in which a file imports what it may not is refused, with the chain."""
    for package in PACKAGES:
        for name, path in modules(package):
            del name
            target = tmp_path / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(path.read_text())
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text())
    spoilt = tmp_path / file
    spoilt.write_text(f"{spoilt.read_text()}\n{planted}\n")
    linter = Path(sys.executable).with_name("lint-imports")
    if not linter.exists():
        pytest.skip("import-linter is not installed in this environment: pip install dambord[lint]")
    ran = subprocess.run([linter, "--no-cache"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 1, ran.stdout
    assert chain in ran.stdout


def test_types_are_checked_where_nothing_is_compiled():
    """mypy leaves out the kernel's compiled modules, all of them and nothing else."""
    kernel = ROOT / "engine" / "kernel"
    compiled = {path.stem for path in kernel.glob("*.pxd") if path.with_suffix(".py").exists()}
    mypy = PROJECT["tool"]["mypy"]
    pattern = re.compile(mypy["exclude"][0])
    assert {path.stem for path in kernel.glob("*.py") if pattern.search(f"engine/kernel/{path.name}")} == compiled
    skipped = {name.removeprefix("engine.kernel.") for name in mypy["overrides"][0]["module"]}
    assert skipped == compiled


def test_our_import_names_are_ours():
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        assert spec is not None
        assert spec.origin is not None
        assert Path(spec.origin).is_relative_to(ROOT)
