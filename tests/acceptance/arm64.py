"""Tries the wheel for 64-bit Raspberry Pis in an emulated arm64 Debian, with the tests that are marked `portable`.

    sudo python3 -m tests.acceptance.arm64 [--from dist/aarch64] [--work FOLDER]

Needs root, mmdebstrap, qemu-user-static and binfmt-support; the first run fetches a Debian, which is kept in the work
folder. On another machine than an x86_64 one the same is said by `pytest -m portable`.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from .machine import MIRROR

ROOT = Path(__file__).parents[2]
PACKAGES = "python3,python3-venv,dash,coreutils,base-files,libstdc++6"
TOOLS = ("pytest", "pytest-timeout", "hypothesis", "Cython")
WHAT = ("'dambord[vision]'", *TOOLS)
REFERENCE = (
    *("corpora/tricky-pdn.json", "vision/labels.json", "vision/images/cvt_g1_002.jpg"),
    *(f"vision/sequences/{frame}.jpg" for frame in ("A/f00060", "A/f00110", "B/f00138")),
)


def debian(folder: Path) -> None:
    """Make the system, unless it is there."""
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        # Unpacked only: nothing is set up by emulated scripts, which takes ten times as long.
        how = ["--quiet", "--variant=extract", "--architectures=arm64", f"--include={PACKAGES}"]
        merged = "--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr"
        subprocess.run(["mmdebstrap", *how, merged, "bookworm", folder, MIRROR], check=True)
        (folder / "complete").touch()


def furnish(place: Path, wheels: Path) -> list[str]:
    """Put wheels, tools and tests there, and nothing of the sources; the files of tests to run."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(wheels, place / "wheels")
    fetch = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary", ":all:", "--python-version", "3.11"]
    platforms = ["--platform", "manylinux2014_aarch64", "--platform", "manylinux_2_28_aarch64"]
    subprocess.run([*fetch, *platforms, "--dest", place / "wheels", *TOOLS], check=True)
    shutil.copytree(ROOT / "tests", place / "source/tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", place / "source")
    for name in REFERENCE:
        (place / "shared" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT.parent / "shared" / name, place / "shared" / name)
    marked = (path for path in (ROOT / "tests").rglob("test_*.py") if "mark.portable" in path.read_text())
    return sorted(str(path.relative_to(ROOT)) for path in marked)


def main() -> int:
    """0 when the wheel is installed and its tests pass."""
    parser = argparse.ArgumentParser(prog="python3 -m tests.acceptance.arm64", description=__doc__.splitlines()[0])
    parser.add_argument("--from", dest="wheels", type=Path, default=ROOT / "dist" / "aarch64")
    parser.add_argument("--work", type=Path, default=Path("/var/cache/dambord-acceptance"))
    options = parser.parse_args()
    system = options.work / "arm64"
    debian(system)
    files = furnish(system / "srv/dambord", options.wheels)
    lines = (
        "cd /srv/dambord/source",
        "[ -x /srv/venv/bin/pip ] || python3 -m venv /srv/venv",
        "/srv/venv/bin/pip uninstall -q -y dambord",
        f"/srv/venv/bin/pip install -q --no-index --no-compile --find-links ../wheels {' '.join(WHAT)}",
        "export DAMBORD_TEST_DATA=/srv/dambord/shared DAMBORD_ALLOW_SKIPS=no PYTHONDONTWRITEBYTECODE=1",
        "uname -m",
        f"/srv/venv/bin/python -m pytest -p no:cacheprovider -m portable --timeout 1800 {' '.join(files)}",
    )
    return subprocess.run(["chroot", system, "/bin/sh", "-ec", "\n".join(lines)], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
