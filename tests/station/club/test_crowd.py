"""A federation: two hundred stations, 20,000 moves, everything killed at any moment; nothing is lost, nothing doubled.

Smaller by DAMBORD_CROWD=STATIONS,MOVES in the environment.
"""

from __future__ import annotations

import os
import random
import sys
import threading
from pathlib import Path
from time import monotonic

import pytest

from station.club.archive import Reader
from station.club.query import Query
from tests.outside.broker import Broker
from tests.station.runtime.club import ClubProcess

from .crowd import CrowdStation

STATIONS, MOVES = (int(part) for part in os.environ.get("DAMBORD_CROWD", "200,20000").split(","))
BROKER_KILLS = 5
CLUB_KILLS = 3
FLAT_KB = 30_000
SETTLE_S = 600


def memory_kb(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


def kept(club):
    games = list(Reader(str(club.data / "archive.sqlite")).all_games(Query(), 10**6))
    found = {(game["station"], game["game"]): (tuple(game["moves"].split()), game["result"]) for game in games}
    assert len(found) == len(games), "a game stands there twice"
    return found


@pytest.mark.soak
@pytest.mark.timeout(5400)
def test_nothing_is_lost_or_doubled_whatever_is_killed(tmp_path, capsys):
    chance = random.Random(9)
    broker = Broker(tmp_path, "allow_anonymous true\nmax_queued_messages 100000")
    broker.start()
    club = ClubProcess(tmp_path, broker.port)
    club.start()
    stations = [CrowdStation(number, broker.port) for number in range(STATIONS)]
    kills = {chance.randrange(MOVES // 10, MOVES): "broker" for _ in range(BROKER_KILLS)}
    kills |= {chance.randrange(MOVES // 10, MOVES): "club" for _ in range(CLUB_KILLS)}
    kills |= {chance.randrange(MOVES): "station" for _ in range(STATIONS // 2)}
    done, memory, began = 0, [], monotonic()
    try:
        while done < MOVES:
            done += chance.choice(stations).move()
            match kills.pop(done, ""):
                case "broker":
                    broker.stop()
                    threading.Event().wait(chance.random() * 2)
                    broker.start()
                case "club":
                    club.kill()
                    club.start()
                case "station":
                    killed = chance.choice(stations)
                    killed.kill()
                    killed.connect()
            if done % (MOVES // 10) == 0:
                memory.append(memory_kb(club.process.pid))
            if done % 50 == 0:
                for station in stations:
                    station.tell()
        wanted = {}
        for station in stations:
            wanted |= station.expected()
        until = monotonic() + SETTLE_S
        while monotonic() < until and (not all(station.is_told for station in stations) or kept(club) != wanted):
            for station in stations:
                station.tell()
            threading.Event().wait(1)
        found = kept(club)
        wrong = {key for key in wanted.keys() | found.keys() if wanted.get(key) != found.get(key)}
        moves = sum(len(texts) for texts, _ in found.values())
        memory.append(memory_kb(club.process.pid))
        with capsys.disabled():
            sys.stdout.write(
                f"\n{STATIONS} stations, {done} moves made, {moves} stand in {len(found)} games, {len(wrong)} wrong, "
                f"{monotonic() - began:.0f} s, memory of the club in kB {memory}\n"
            )
        assert not wrong, [(key, wanted.get(key), found.get(key)) for key in sorted(wrong)[:3]]
        half = memory[len(memory) // 2 :]
        assert max(half) - min(half) < FLAT_KB
    finally:
        for station in stations:
            station.close()
        club.kill()
        broker.stop()
