"""The wheel is whole: installed elsewhere, run from another folder, it finds rule sets, texts, pages and its kernel."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


KERNEL = ROOT / "engine" / "kernel"
BUILDING = pytest.mark.timeout(1800)
"""Compiling takes a minute on a machine that does nothing else."""


def _runs(python: str) -> bool:
    return subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0


def _pythons() -> list[str]:
    """This Python and the newer ones there are, on the path or under pyenv."""
    newer = ("3.12", "3.13", "3.14")
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [shutil.which(f"python{version}") for version in newer]
    found += [str(path) for version in newer for path in versions.glob(f"{version}.*/bin/python")]
    return [sys.executable, *(python for python in found if python and _runs(python))]


PYTHONS = _pythons()
COUNT = """
from engine.perft import kernel_perft
from engine.rules import rules_for
from engine.ruleset import load_ruleset
for name in ("international", "canadian", "towers", "corners"):
    rules = rules_for(load_ruleset(name))
    count = kernel_perft(rules)
    print(name, count and count(rules.start(), 4).nodes)
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """What a clone has, or will have once new files are in it, without what was built here.

    The kernel as it was translated to C comes along, where nothing was changed since: it takes half a minute.
    """
    source = tmp_path_factory.mktemp("source")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True
    ).stdout.decode()
    translated = [*KERNEL.glob("wide_*.p*"), *(ROOT / "build" / "cython").rglob("*.c")]
    names = [*filter(None, listed.split("\0")), *(str(path.relative_to(ROOT)) for path in translated)]
    for name in names:
        if (ROOT / name).is_file():
            target = source / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)
    return source


def build(source: Path, folder: Path, **environment: str) -> Path:
    """The wheel that is built there."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(source)]
    if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, check=False).returncode:
        command = ["uv", "build", "--quiet", "--wheel", "--out-dir", str(folder), str(source)]
    ran = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=1500, env={**os.environ, **environment}
    )
    assert ran.returncode == 0, ran.stderr[-4000:]
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def wheel(source, tmp_path_factory):
    """Compiled in haste: what is in it is asked here, not how fast it runs."""
    hasty = tmp_path_factory.mktemp("compiler") / "cc"
    hasty.write_text(f'#!/bin/sh\nexec {os.environ.get("CC", "gcc")} "$@" -O0\n')
    hasty.chmod(0o755)
    return build(source, tmp_path_factory.mktemp("wheel"), CC=str(hasty))


@BUILDING
def test_it_holds_our_packages_and_nothing_else(wheel):
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"engine", "firmware_bridge", "station", "vision"}


@BUILDING
def test_it_holds_the_kernel_compiled_once_for_all_pythons(wheel):
    assert re.fullmatch(r"dambord-[\d.]+-cp311-abi3-\w+\.whl", wheel.name)
    names = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("engine/kernel/")}
    compiled = {Path(name).name.removesuffix(".abi3.so") for name in names if name.endswith(".so")}
    written = {path.stem for path in KERNEL.glob("*.pxd") if not path.stem.startswith("wide_")}
    on_bitboards = {name for name in written if re.search(r"\bBB\b", (KERNEL / f"{name}.pxd").read_text())}
    assert "moves" in on_bitboards
    assert compiled == written | {f"wide_{name}" for name in on_bitboards}
    assert not [name for name in names if name.endswith((".c", ".pxd"))]


@BUILDING
@pytest.mark.parametrize("python", PYTHONS)
def test_its_kernel_runs_where_nothing_else_is_installed(wheel, python, tmp_path):
    """In a fresh environment of each Python there is, with no compiler to be found."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    subprocess.run([python, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True, timeout=60)
    assert counts(tmp_path / "venv/bin/python", tmp_path) == [
        "international 4265",
        "canadian 10053",
        "towers 1469",
        "corners 53824",
    ]


def counts(python: Path | str, folder: Path) -> list[str]:
    """Leaves four plies on, counted by the compiled kernel of what lies in `site`."""
    ran = subprocess.run(
        [python, "-c", COUNT],
        cwd=folder,
        env={"PYTHONPATH": str(folder / "site"), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return ran.stdout.splitlines()


@BUILDING
def test_without_a_compiler_it_is_built_all_the_same(source, wheel, tmp_path):
    for built in (source / "build").glob("[!c]*"):  # what was translated to C is used again
        shutil.rmtree(built)
    wheel = build(source, tmp_path / "wheel", CC="false", CXX="false")
    with zipfile.ZipFile(wheel) as archive:
        assert not [name for name in archive.namelist() if name.endswith(".so")]
        archive.extractall(tmp_path / "site")
    assert counts(sys.executable, tmp_path) == ["international None", "canadian None", "towers None", "corners None"]
    say = "from engine.thinking import HAS_KERNEL; print(HAS_KERNEL)"
    environment = {"PYTHONPATH": str(tmp_path / "site")}
    ran = subprocess.run([sys.executable, "-c", say], cwd=tmp_path, env=environment, capture_output=True, check=True)
    assert ran.stdout == b"False\n"


@BUILDING
def test_it_runs_from_another_folder(wheel, tmp_path):
    target = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    environment = {**os.environ, "PYTHONPATH": str(target)}

    def run(*arguments: str) -> str:
        ran = subprocess.run(
            [sys.executable, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        return ran.stdout

    assert run("-c", "import engine; print(engine.__file__)").startswith(str(target))
    names = [entry["name"] for entry in json.loads(run("-m", "station.runtime.cli", "variants", "--json"))]
    assert "russian" in names
    say = "from station.texts import load_texts; print(load_texts('en').say('prompt.turn', side='White'))"
    assert run("-c", say) == "White to move.\n"
    find = "import station.web as web, pathlib; print(*(pathlib.Path(web.__file__).parent / 'static').iterdir())"
    assert {"index.html", "app.js", "board.js"} <= {Path(name).name for name in run("-c", find).split()}
