"""Installs Dambord on a fresh Debian, plays, cuts the power, updates, goes back, takes it off; a line for each step.

    sudo python3 -m tests.acceptance [--from FOLDER] [--work FOLDER]

FOLDER holds the wheels of Dambord and of all it needs, as `deploy/wheels.sh --with-dependencies` makes them; the
package that `deploy/debian.sh` makes of them lies beside it. Needs root, systemd-container and mmdebstrap; the first
run fetches a Debian, which is kept in the work folder.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from time import monotonic

from .machine import Board, Machine, wait

ROOT = Path(__file__).parents[2]
ARCHITECTURE = {"x86_64": "amd64", "aarch64": "arm64"}
READY_S = 60.0
CONFIG = f"""[station]
id = "acceptance"
data = "/var/lib/dambord"
[mqtt]
host = "127.0.0.1"
[web]
port = 8080
[[boards]]
id = "table"
driver = "matrix"
port = "{Board.PATH}"
variant = "russian"
"""
INSTALL = "/media/dambord/deploy/install.sh --offline --with-broker --from /media/dambord/"
PDN = "python3 -c 'import urllib.request as u; print(u.urlopen(\"http://127.0.0.1:8080/boards/table/game.pdn\").read().decode())'"
MOVES = ("a3-b4", "b6-c5", "b4-a5", "a7-b6", "c3-d4", "b8-a7", "g3-f4", "f6-g5")


def linked(source: Path, target: Path) -> Path:
    """The same folder once more, without copying what is in it where that can be had."""
    target.mkdir(parents=True)
    for file in source.iterdir():
        try:
            (target / file.name).hardlink_to(file)
        except OSError:
            shutil.copy(file, target)
    return target


def other_wheel(source: Path, target: Path, name: str, more: str) -> None:
    """The same wheel with lines added to one of its modules."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for item in old.infolist():
            new.writestr(item, old.read(item) + (more.encode() if item.filename == name else b""))


class Acceptance:
    """The steps, in order: each needs what those before it left."""

    def __init__(self, machine: Machine) -> None:
        self.machine, self.board = machine, Board(machine)
        self.played: list[str] = []

    def expect(self, line: str, code: int = 0) -> str:
        found, said = self.machine.run(line)
        assert found == code, f"{line}: exit code {found}, expected {code}\n{said}"
        return said

    def is_active(self) -> bool:
        return self.machine.ask("systemctl is-active dambord") == "active"

    def pid(self) -> str:
        return self.machine.ask("systemctl show -p MainPID --value dambord")

    def version(self) -> str:
        return self.machine.ask("readlink /opt/dambord/current")

    def record(self) -> list[str]:
        text = self.machine.ask(PDN).split("\n\n")[-1]
        return re.findall(r"[a-h][1-8]-[a-h][1-8]", text)

    def goes_on(self) -> None:
        """The game is as it was left; one move more is made and recorded."""
        wait(lambda: self.record() == self.played, READY_S, f"the game at {self.played}")
        self.play()

    def play(self) -> None:
        move = MOVES[len(self.played)]
        # A board that has just been found is read before it is played on.
        wait(lambda: '"phase":"turn"' in self.state(), READY_S, "a turn")
        self.board.move(move)
        self.played.append(move)
        wait(lambda: self.record() == self.played, READY_S, f"{move} in the record, found {self.record()}")

    def state(self) -> str:
        topic = "dambord/v1/acceptance/table/state"
        return self.machine.ask(f"mosquitto_sub -h 127.0.0.1 -t {topic} -C 1 -W 5").replace(" ", "")

    # --- the steps -------------------------------------------------------------------------------------------------

    def boots(self) -> str:
        return f"{self.machine.power_on():.1f} s"

    def is_installed(self) -> str:
        said = self.expect(INSTALL + "wheels")
        assert "starts with the machine" in said, said
        assert "made user dambord" in said, said
        assert self.is_active()
        assert self.expect("systemctl is-enabled dambord") == "enabled"
        return self.expect("dambord --version")

    def compiled_nothing_and_has_the_kernel(self) -> str:
        self.expect("which gcc cc cython", 1)
        # The service may not write where it is installed, and without bytecode it starts slowly every time.
        self.expect("ls /opt/dambord/current/lib/python3*/site-packages/station/runtime/__pycache__/service.*.pyc")
        return self.expect("/opt/dambord/current/bin/python -c 'from engine.thinking import HAS_KERNEL as k; assert k'")

    def is_hard_to_break_out_of(self) -> str:
        said = self.expect("systemd-analyze security dambord.service --no-pager").splitlines()[-1]
        figure = re.search(r"exposure level for dambord.service: ([\d.]+)", said)
        assert figure, said
        assert float(figure[1]) <= 2.0, said
        return figure[1]

    def is_installed_again_without_harm(self) -> str:
        (self.machine.root / "etc/dambord/station.toml").write_text(CONFIG)
        pid = self.pid()
        said = self.expect(INSTALL + "wheels")
        assert "wrote" not in said, said
        assert "made" not in said, said
        assert self.pid() == pid, "restarted"
        assert (self.machine.root / "etc/dambord/station.toml").read_text() == CONFIG
        return ""

    def plays(self) -> str:
        self.board.plug()
        self.expect("systemctl restart dambord")
        self.play()
        self.play()
        return " ".join(self.played)

    def is_started_again_when_it_is_killed(self) -> str:
        pid = self.pid()
        self.expect("systemctl kill -s KILL dambord")
        took = wait(lambda: self.is_active() and self.pid() not in ("0", pid), 30, "a new process")
        self.goes_on()
        return f"{took:.1f} s"

    def is_started_again_when_it_hangs(self) -> str:
        pid = self.pid()
        self.expect(f"kill -STOP {pid}")
        took = wait(lambda: self.is_active() and self.pid() not in ("0", pid), 60, "a new process")
        self.goes_on()
        return f"{took:.1f} s"

    def outlives_a_power_cut(self) -> str:
        self.machine.cut_power()
        self.board.unplug()
        took = self.machine.power_on()
        self.board.plug()
        wait(self.is_active, READY_S, "the service")
        self.goes_on()
        return f"up {took:.1f} s later"

    def is_updated(self) -> str:
        before = self.version()
        self.expect(INSTALL + "newer")
        assert self.version() != before
        assert self.machine.ask("readlink /opt/dambord/previous") == before
        assert self.is_active()
        self.goes_on()
        return self.version()

    def keeps_what_runs_when_an_update_does_not_become_ready(self) -> str:
        before = self.version()
        said = self.expect(INSTALL + "broken", 1)
        assert "The version before is in use again" in said, said
        assert self.version() == before
        wait(self.is_active, READY_S, "the version before")
        return said.splitlines()[-1]

    def keeps_what_runs_when_the_power_fails_in_such_an_update(self) -> str:
        before, broken = self.version(), self.machine.ask("ls -t /opt/dambord/versions | head -n 1")
        assert f"versions/{broken}" != before
        self.machine.run(f"ln -sfn {before} /opt/dambord/previous; ln -sfn versions/{broken} /opt/dambord/current")
        self.expect("echo 0 >/opt/dambord/unproven; sync")
        self.machine.cut_power()
        self.board.unplug()
        self.machine.power_on()
        took = wait(lambda: self.version() == before and self.is_active(), 120, "the version before")
        self.board.plug()
        return f"{took:.1f} s"

    def goes_back(self) -> str:
        before = self.version()
        self.expect("ln -sfn $(cd /opt/dambord; ls -td versions/* | tail -n 1) /opt/dambord/previous")
        self.expect("/opt/dambord/install.sh --rollback")
        assert self.version() != before
        wait(self.is_active, READY_S, "the version before")
        wait(lambda: self.record() == self.played, READY_S, "the game")
        return self.version()

    def ends_within_five_seconds(self) -> str:
        began = monotonic()
        self.expect("systemctl stop dambord")
        took = monotonic() - began
        assert took < 5
        assert self.machine.ask("systemctl show -p Result --value dambord") == "success"
        return f"{took:.1f} s"

    def is_taken_off_and_leaves_the_games(self) -> str:
        self.expect("/opt/dambord/install.sh --uninstall")
        for path in ("opt/dambord", "usr/local/bin/dambord", "etc/systemd/system/dambord.service"):
            assert not os.path.lexists(self.machine.root / path), path
        assert list((self.machine.root / "var/lib/dambord/journal/table").glob("*.jsonl"))
        assert (self.machine.root / "etc/dambord/station.toml").read_text() == CONFIG
        return ""

    def is_installed_as_a_package(self) -> str:
        self.board.unplug()
        self.expect("DEBIAN_FRONTEND=noninteractive dpkg --install /media/dambord/*.deb")
        wait(self.is_active, READY_S, "the service")
        assert (self.machine.root / "etc/dambord/station.toml").read_text() == CONFIG
        self.board.plug()
        self.goes_on()
        return self.expect("dpkg-query -W dambord")

    def is_taken_off_as_a_package(self) -> str:
        self.expect("dpkg --remove dambord")
        assert not self.is_active()
        for path in ("opt/dambord", "usr/share/dambord", "etc/systemd/system/dambord.service"):
            assert not os.path.lexists(self.machine.root / path), path
        assert list((self.machine.root / "var/lib/dambord/journal/table").glob("*.jsonl"))
        return ""

    STEPS = (
        boots,
        is_installed,
        compiled_nothing_and_has_the_kernel,
        is_hard_to_break_out_of,
        is_installed_again_without_harm,
        plays,
        is_started_again_when_it_is_killed,
        is_started_again_when_it_hangs,
        outlives_a_power_cut,
        is_updated,
        keeps_what_runs_when_an_update_does_not_become_ready,
        keeps_what_runs_when_the_power_fails_in_such_an_update,
        goes_back,
        ends_within_five_seconds,
        is_taken_off_and_leaves_the_games,
        is_installed_as_a_package,
        is_taken_off_as_a_package,
    )


def main() -> int:
    """0 when every step went well."""
    parser = argparse.ArgumentParser(prog="python3 -m tests.acceptance", description=__doc__.splitlines()[0])
    parser.add_argument("--from", dest="wheels", type=Path, default=ROOT / "dist" / os.uname().machine)
    parser.add_argument("--work", type=Path, default=Path("/var/cache/dambord-acceptance"))
    options = parser.parse_args()
    missing = [tool for tool in ("systemd-nspawn", "mmdebstrap", "nsenter") if shutil.which(tool) is None]
    if os.getuid() != 0 or missing:
        sys.stderr.write(
            f"acceptance: needs root and {', '.join(missing) or 'nothing else'} (systemd-container mmdebstrap)\n"
        )
        return 2
    media = options.work / "media"
    shutil.rmtree(media, ignore_errors=True)
    shutil.copytree(ROOT / "deploy", media / "deploy")
    linked(options.wheels, media / "wheels")
    package = next(options.wheels.parent.glob(f"dambord_*_{ARCHITECTURE[os.uname().machine]}.deb"))
    shutil.copy(package, media)
    for name, module, more in (
        ("newer", "station/runtime/version.py", "\n# newer\n"),
        ("broken", "station/runtime/supervisor.py", "\nREADY = 'STATUS=dreaming'\n"),
    ):
        wheel = next(linked(media / "wheels", media / name).glob("dambord-*.whl"))
        wheel.unlink()
        other_wheel(next((media / "wheels").glob("dambord-*.whl")), wheel, module, more)
    machine = Machine(options.work, options.work / "base", media)
    acceptance, began = Acceptance(machine), monotonic()
    try:
        for step in Acceptance.STEPS:
            at = monotonic()
            said = step(acceptance)
            sys.stdout.write(
                f"ok {monotonic() - at:6.1f} s  it {step.__name__.replace('_', ' ')}{f': {said}' if said else ''}\n"
            )
            sys.stdout.flush()
    except AssertionError as fault:
        sys.stdout.write(f"WRONG  it {step.__name__.replace('_', ' ')}: {fault}\n")
        sys.stdout.write(machine.ask("journalctl -u dambord -n 40 --no-pager -o short-monotonic") + "\n")
        return 1
    finally:
        acceptance.board.unplug()
        machine.cut_power()
        subprocess.run(["sync", "-f", str(options.work)], check=False)
    sys.stdout.write(f"all {len(Acceptance.STEPS)} steps in {monotonic() - began:.0f} s\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
