"""What a game writes to the disk: bytes of its journal, how often it is forced out, bytes that reach the disk.

python benchmarks/writes.py [--games 10] [--folder /var/tmp]
"""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import tempfile
from pathlib import Path

from station.effects import Announce
from station.journal import read_journal
from station.runtime.cli import main as dambord
from station.runtime.desk import Desk, JournalFile
from station.session import begin
from station.texts import load_texts


def written() -> int:
    """Bytes that this process has sent to a block device so far."""
    found = re.search(r"^write_bytes: (\d+)", Path("/proc/self/io").read_text(), re.MULTILINE)
    return int(found[1]) if found else 0


def main() -> None:
    """Have hands play, and write the journals down once more, durably."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--folder", default="/var/tmp", help="on the disk that is to be measured")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        with contextlib.redirect_stdout(io.StringIO()):
            dambord(
                ["simulate", "--games", str(options.games), "--seed", "5000", "--hands", "real", "--record", folder]
            )
        moves = forced = size = disk = 0
        for number, recording in enumerate(sorted(Path(folder).rglob("*.jsonl"))):
            header, lines = read_journal(recording.read_bytes(), str(recording))
            journal = JournalFile(Path(folder) / "again" / f"{number}.jsonl", header)
            desk = Desk(begin(header.settings, load_texts(header.language), header.boot), journal)
            before = written()
            for line in lines:
                if line.event is not None:
                    told = [effect for effect in desk.handle(line.event) if isinstance(effect, Announce)]
                    forced += bool(told)
                    moves += sum(type(effect.what).__name__ == "Moved" for effect in told)
            journal.close()
            disk += written() - before
            size += journal.path.stat().st_size
    print(f"{options.games} games, {moves} moves: a game of 100 moves makes a journal of {size / moves / 10:.0f} kB,")
    each = disk / forced / 1000
    print(
        f"forced out {100 * forced / moves:.0f} times, {disk / moves / 10:.0f} kB to the disk ({each:.1f} kB each time)"
    )


if __name__ == "__main__":
    main()
