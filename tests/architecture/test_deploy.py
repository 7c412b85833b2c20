"""What `deploy/` puts onto a machine, as far as it can be read; what it does there is tried by `make acceptance`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DEPLOY = Path(__file__).parents[2] / "deploy"
UNITS = sorted(DEPLOY.rglob("*.service"))
SCRIPTS = [DEPLOY / "install.sh", *UNITS]


def values(unit: Path, key: str) -> list[str]:
    """What a unit says of a key, in order."""
    return re.findall(rf"^{key}=(.*)$", unit.read_text(), re.MULTILINE)


def does(path: Path) -> str:
    """A file without its comments."""
    return re.sub(r"^\s*#.*$", "", path.read_text(), flags=re.MULTILINE)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_O39_O55_no_user_is_presumed_and_the_boot_partition_is_never_touched(path):
    assert not re.search(r"/boot|/home/|\bUser=pi\b|\bsu(do)? -u pi\b", does(path))


def test_O38_O42_nothing_is_installed_into_the_systems_python_and_nothing_is_pulled_from_a_repository():
    text = does(DEPLOY / "install.sh")
    assert "break-system-packages" not in text
    assert not re.search(r"\bgit\b", text)
    # Every pip is that of an environment of ours.
    assert set(re.findall(r'(\S*)\bpip"? ', text.replace("pip could", ""))) == {
        '"$target/bin/',
        '"$HOME_DIR/build/bin/',
    }


def test_O43_a_small_machine_is_given_wheels_or_nothing():
    (install,) = re.findall(r"pip\" install .*", does(DEPLOY / "install.sh"))
    assert "--only-binary :all:" in install


def test_O47_ports_belong_to_a_group_that_there_is_and_units_name_no_other():
    rules = (DEPLOY / "60-dambord.rules").read_text()
    assert re.search(r'SUBSYSTEM=="tty", SUBSYSTEMS=="usb".*GROUP="dambord", MODE="0660"', rules)
    for unit in UNITS:
        assert not values(unit, "SupplementaryGroups")
        assert set(values(unit, "Group")) <= {"dambord"}


def test_O61_the_kiosks_browser_is_started_anew_when_it_ends_and_every_night():
    unit = DEPLOY / "dambord-kiosk.service"
    assert values(unit, "Restart") == ["always"]
    (seconds,) = values(unit, "RuntimeMaxSec")
    assert seconds == "1d"


def test_O62_the_kiosks_browser_remembers_nothing_that_it_could_ask_about():
    unit = DEPLOY / "dambord-kiosk.service"
    (folder,) = values(unit, "RuntimeDirectory")
    assert not values(unit, "RuntimeDirectoryPreserve")
    (command,) = values(unit, "ExecStart")
    assert f"--user-data-dir=/run/{folder}/" in command
    assert "--disable-session-crashed-bubble" in command
