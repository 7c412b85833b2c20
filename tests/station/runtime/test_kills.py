"""Power goes at any moment: what was announced is in the record, and nothing else is."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from time import process_time

import pytest

from station.announcements import fen_of
from station.runtime.service import resume
from station.runtime.simulate import Setup, play

from .games import game

SCRIPT = Path(__file__).with_name("killed_station.py")


def announced(data):
    """What the complete lines of a journal announce: (game, seq, what)."""
    lines = [json.loads(line) for line in data.split(b"\n")[1:-1]]
    return [(line["game"], line["seq"], line["what"]) for line in lines if line.get("effect") == "Announce"]


def left_by(announcements, before=None):
    """Game, sequence number, ply and FEN that announcements leave; None when no game is under way."""
    left = before
    for game_id, seq, what in announcements:
        if what["type"] == "game_started":
            left = (game_id, seq, 0, what["fen"], False)
            continue
        if left is None or left[0] != game_id:
            continue
        _, _, ply, fen, over = left
        ply += {"move": 1, "taken_back": -what.get("plies", 0)}.get(what["type"], 0)
        over = what["type"] == "game_over" or (over and what["type"] not in ("revised", "taken_back"))
        left = (game_id, seq, ply, what.get("fen", fen), over)
    return left


def shown(resumed):
    if resumed is None:
        return None
    record = resumed.game
    return resumed.game_id, resumed.seq, record.ply, fen_of(record.position, record.ruleset), resumed.over


def unfinished(left):
    return None if left is None or left[4] else left


@pytest.mark.parametrize(
    ("variant", "driver", "hands", "plies"), [("russian", "matrix", "calm", 9), ("international", "dgt", "blitz", 6)]
)
def test_O50_a_journal_cut_anywhere_gives_the_game_at_its_last_announcement(tmp_path, variant, driver, hands, plies):
    data, cut = journal_of(tmp_path, variant, driver, hands, plies)
    places = {*range(max(0, len(data) - 1500), len(data) + 1)}
    places |= {random.Random(1).randrange(len(data)) for _ in range(250)}
    header = data.index(b"\n")
    cut_at(cut, data, sorted(places | {header, header + 1}))


def journal_of(tmp_path, variant, driver, hands, plies):
    """The bytes of a journal in which a game was played, and a path at which a station looks for its own."""
    ruleset, start, moves = game(variant, plies)
    journal = tmp_path / "whole" / "000000000002.jsonl"
    play(start, moves, ruleset, Setup(driver, hands), 3, journal)
    cut = tmp_path / "journal" / "table" / journal.name
    cut.parent.mkdir(parents=True)
    return journal.read_bytes(), cut


def cut_at(cut, data, places):
    """A journal that ends at any of some places gives the game at its last whole announcement."""
    left, end = None, -1
    for place in places:
        if data.rfind(b"\n", 0, place) > end:
            end = data.rfind(b"\n", 0, place)
            left = unfinished(left_by(announced(data[:place])))
        cut.write_bytes(data[:place])
        assert shown(resume(cut.parent)) == left, place


def test_O50_prefixes_of_a_short_journal_open(tmp_path):
    """At the ends of lines and every few bytes; at every byte below."""
    data, cut = journal_of(tmp_path, "russian", "matrix", "clean", 1)
    assert len(announced(data)) > 1
    ends = {place + more for place, byte in enumerate(data) if byte == ord("\n") for more in (-1, 0, 1, 2)}
    cut_at(cut, data, sorted({*range(0, len(data), 23), *(end for end in ends if 0 <= end <= len(data)), len(data)}))


@pytest.mark.soak
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(("variant", "driver"), [("russian", "matrix"), ("international", "dgt")])
def test_every_prefix_of_a_whole_games_journal_opens(tmp_path, variant, driver):
    data, cut = journal_of(tmp_path, variant, driver, "real", 12)
    cut_at(cut, data, range(len(data) + 1))


def test_a_torn_header_leaves_the_journal_before(tmp_path):
    ruleset, start, moves = game("russian", 3)
    folder = tmp_path / "table"
    before = folder / "000000000001.jsonl"
    play(start, moves, ruleset, Setup(), 1, before)
    whole = shown(resume(folder))
    assert whole is not None
    assert whole[2] == 3
    first_line = before.read_bytes().split(b"\n")[0]
    after = folder / "000000000002.jsonl"
    for torn in (b"", b"\0" * 40, first_line[:1], first_line[: len(first_line) // 2], first_line):
        after.write_bytes(torn)
        assert shown(resume(folder)) == whole


def test_a_damaged_line_costs_only_what_it_held(tmp_path):
    """Announcements are numbered: a lost line that held none changes nothing, else the game ends before it."""
    ruleset, start, moves = game("russian", 4)
    journal = tmp_path / "table" / "000000000001.jsonl"
    play(start, moves, ruleset, Setup(), 1, journal)
    lines = journal.read_bytes().split(b"\n")
    whole = left_by(announced(journal.read_bytes()))
    places = [place for place, line in enumerate(lines) if b'"type":"move"' in line]
    for place in range(1, len(lines) - 1, 7):
        journal.write_bytes(b"\n".join([*lines[:place], b"\0" * len(lines[place]), *lines[place + 1 :]]))
        kept = [line for number, line in enumerate(lines) if number != place]
        if b'"Announce"' not in lines[place]:
            assert shown(resume(journal.parent)) == whole
            assert announced(b"\n".join(kept))
    for number, place in enumerate(places):
        journal.write_bytes(b"\n".join([*lines[:place], b"\0" * 9, *lines[place + 1 :]]))
        found = shown(resume(journal.parent))
        assert found is not None
        assert found[2] == number


class Chain:
    """Stations on one folder, one after the other; each is killed."""

    def __init__(self, folder, seed, is_torn=False):
        """`is_torn`: what was not forced to the disk may be lost with the power."""
        self.folder, self.is_torn = folder / "journal" / "table", is_torn
        self.chance = random.Random(seed)
        self.left = None
        self.journals = set()
        self.told = 0
        self.hit_the_start = 0
        self.torn = 0
        self.slowest_s = 0.0

    def kill_one(self):
        """Let a station run, kill it at a random moment, and compare what it said with what it left."""
        chance = self.chance
        lines, news = [], threading.Condition()
        with subprocess.Popen(
            [sys.executable, str(SCRIPT), str(self.folder), str(chance.randrange(1 << 30))],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as process:

            def listen():
                for line in process.stdout:
                    with news:
                        lines.append(line)
                        news.notify_all()

            ear = threading.Thread(target=listen)
            ear.start()
            with news:
                if chance.random() < 0.25:
                    news.wait_for(lambda: False, chance.uniform(0.1, 0.7))
                else:
                    enough = chance.randrange(1, 70)
                    assert news.wait_for(lambda: len(lines) >= enough or process.poll() is not None, 60)
                    news.wait_for(lambda: False, chance.uniform(0, 0.03))
            still_ran = process.poll() is None
            if still_ran:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            ear.join()
            complaints = process.stderr.read().decode()
        assert still_ran, complaints
        self.compare([json.loads(line) for line in lines if line.endswith(b"\n")])

    def compare(self, told):
        new = sorted({*self.folder.glob("*.jsonl")} - self.journals)
        assert len(new) <= 1
        self.journals |= {*new}
        if new and self.is_torn:
            self.tear(new[0], len(told))
        written = announced(new[0].read_bytes()) if new else []
        said = [(item["game"], item["seq"], item["what"]) for item in told]
        assert said == written[: len(said)]
        assert len(written) - len(said) <= 6  # one event's announcements at most, and they were not made
        self.hit_the_start += not said
        self.told += len(said)
        if self.left is not None and not self.left[4] and written:
            assert (written[0][0], written[0][1]) == (self.left[0], self.left[1] + 1)
        self.left = left_by(written, self.left)
        began = process_time()
        assert shown(resume(self.folder)) == unfinished(self.left)
        self.slowest_s = max(self.slowest_s, process_time() - began)

    def tear(self, journal, told):
        """Behind what was told anything of a write that was under way may be missing, or zeros, or half a line."""
        data, chance = journal.read_bytes(), self.chance
        announcements = [found.end() for found in re.finditer(rb'^{"effect":"Announce".*\n', data, re.MULTILINE)]
        # The header is forced out before anything is done.
        promised = announcements[told - 1] if told else data.find(b"\n") + 1
        kept = data[: chance.randint(promised, len(data))]
        line = chance.choice([line for line in data.split(b"\n")[1:] if b'"event"' in line] or [b"{"])
        tail = chance.choice((b"", b"\0" * chance.randrange(1, 4096), line[: chance.randrange(1, len(line) + 1)]))
        self.torn += kept + tail != data
        journal.write_bytes(kept + tail)


def test_O50_killed_stations_lose_and_invent_nothing(tmp_path):
    chain = Chain(tmp_path, 5)
    for _ in range(12):
        chain.kill_one()
    assert chain.told > 100


def test_power_cuts_that_tear_what_was_not_forced_out_lose_and_invent_nothing(tmp_path):
    chain = Chain(tmp_path, 7, is_torn=True)
    for _ in range(5):
        chain.kill_one()
    assert chain.torn
    assert chain.told > 20


@pytest.mark.soak
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("seed", range(10, 20))
def test_a_hundred_power_cuts(tmp_path, seed):
    """All ten make a thousand."""
    chain = Chain(tmp_path, seed, is_torn=True)
    for _ in range(100):
        chain.kill_one()
    sys.stdout.write(
        f"100 power cuts, {chain.torn} torn, {chain.told} announcements, {chain.hit_the_start} before a word, "
        f"slowest way back to the game {chain.slowest_s:.3f} s of CPU\n"
    )
    assert chain.told > 1000
    assert chain.slowest_s < 5
