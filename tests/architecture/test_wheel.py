"""The wheel is whole: installed elsewhere and run from another folder, it finds its rule sets, texts and pages."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    source = tmp_path_factory.mktemp("source")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            target = source / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((ROOT / name).read_bytes())
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(source)]
    if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, check=False).returncode:
        command = ["uv", "build", "--quiet", "--wheel", "--out-dir", str(folder), str(source)]
    subprocess.run(command, check=True, capture_output=True, timeout=240)
    return next(folder.glob("*.whl"))


def test_it_holds_our_packages_and_nothing_else(wheel):
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"engine", "firmware_bridge", "station"}


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
