"""A conversation with the engine's own process."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path
from queue import Queue
from threading import Thread

import pytest

from engine.hub import Done, Id, Info, Param, hub_move_text, position_text, read_hub, read_hub_move
from engine.thinking import HAS_KERNEL
from tests.engine.boards import VARIANTS, rules_of


class Engine:
    """The engine as a child process: lines in, lines out."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "engine.serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self.lines = Queue()
        self.reader = Thread(target=self._listen)
        self.reader.start()

    def _listen(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def say(self, *lines):
        for line in lines:
            self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def until(self, start, timeout=20):
        """Lines up to the first that starts so, which is the last returned."""
        heard = []
        while True:
            line = self.lines.get(timeout=timeout)
            assert line is not None, f"the engine ended before {start!r}, after {heard}"
            heard.append(line)
            if line.startswith(start):
                return heard

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdin.close()
        self.process.stdout.close()


@pytest.fixture
def engine():
    child = Engine()
    yield child
    child.close()


def begin(engine, variant="international", level=10):
    engine.say("hub")
    engine.until("wait")
    engine.say(f"set-param name=variant value={variant}", f"set-param name=level value={level}", "init")
    engine.until("ready")
    return rules_of(variant)


def test_it_introduces_itself(engine):
    engine.say("hub")
    messages = [read_hub(line) for line in engine.until("wait")]
    assert isinstance(messages[0], Id)
    params = {message.name: message for message in messages if isinstance(message, Param)}
    assert set(params["variant"].values) >= set(VARIANTS)
    assert (params["level"].least, params["level"].most) == ("1", "10")
    engine.say("init")
    assert engine.until("ready") == ["ready"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_it_plays_legal_moves_of_each_variant(engine, variant):
    rules = begin(engine, variant, level=2)
    position, played = rules.start(), []
    for _ in range(6):
        text = position_text(rules.start())
        engine.say(f'pos pos={text} moves="{" ".join(played)}"', "level move-time=2", "go think")
        done = read_hub(engine.until("done")[-1])
        move = read_hub_move(done.move, rules.legal_moves(position))
        played.append(hub_move_text(move))
        position = position.after(move)


def test_time_for_a_move_is_used_and_kept(engine):
    rules = begin(engine)
    engine.say(f"pos pos={position_text(rules.start())}", "level move-time=0.4")
    started = time.monotonic()
    engine.say("go think")
    engine.until("done")
    taken = time.monotonic() - started
    assert 0.3 < taken < 4, "a busy machine may be late, an unbounded search never answers"


def test_stop_and_ping_are_answered_while_searching(engine):
    rules = begin(engine)
    engine.say(f"pos pos={position_text(rules.start())}", "level infinite", "go analyze")
    engine.until("info")
    asked = time.monotonic()
    engine.say("ping")
    engine.until("pong")
    engine.say("stop")
    heard = engine.until("done")
    assert time.monotonic() - asked < 5
    assert read_hub_move(read_hub(heard[-1]).move, rules.legal_moves(rules.start()))


def test_pondering_ends_within_the_limit_after_the_hit(engine):
    rules = begin(engine)
    engine.say(f"pos pos={position_text(rules.start())}", "level move-time=0.2", "go ponder")
    engine.until("info")
    hit = time.monotonic()
    engine.say("ponder-hit")
    engine.until("done")
    assert time.monotonic() - hit < 4


def test_depth_and_nodes_are_limits(engine):
    rules = begin(engine)
    engine.say(f"pos pos={position_text(rules.start())}", "level depth=3", "go think")
    infos = [read_hub(line) for line in engine.until("done")[:-1]]
    assert [info.depth for info in infos] == [1, 2, 3]
    engine.say("level nodes=500", "go think")
    infos = [read_hub(line) for line in engine.until("done")[:-1]]
    assert max(info.nodes for info in infos) <= 501


def test_a_forced_move_is_played_at_once_and_no_move_is_said(engine):
    begin(engine)
    engine.say("level move-time=20", "pos pos=W" + "e" * 27 + "b" + "e" * 3 + "w" + "e" * 18, "go think")
    engine.say("pos pos=W" + "e" * 49 + "b", "go think")
    assert read_hub(engine.until("done", timeout=5)[-1]).move
    assert read_hub(engine.until("done", timeout=5)[-1]) == Done()


def test_mistakes_are_answered_and_do_not_end_it(engine):
    rules = begin(engine)
    for line, part in [
        ("pos pos=zz", "2 characters"),
        ("level depth=x", "whole number"),
        ("set-param name=variant value=rusian", "no such rule set"),
        ("set-param name=level value=11", "from 1 to 10"),
        ("set-param name=rules-file value=/nowhere.toml", "cannot be read"),
        (f"pos pos={position_text(rules.start())} moves=32-27x1", "not a legal move"),
    ]:
        engine.say(line)
        assert part in engine.until("error")[-1]
    engine.say("", "ping")
    assert engine.until("pong") == ["pong"]


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("xyzzy 1 2 3", "no such command"),
        ("\x00\x7f{}$%&", "no such command"),
        ("done move=32-28", "not for an engine"),
        ("error message=boo", "no such command"),
        ("pos", "pos= is missing"),
        ("pos pos=W" + "w" * 13 + "e" * 18 + "b", "13 pieces of white, expected at most 12"),
        ("pos pos=W" + "e" * 51, "52 characters"),
        ("level depth=0", "at least 1"),
        ("level nodes=-5", "at least 1"),
        ("level depth=99999999999999999999", "whole number"),
        ("level move-time=1e300", "expected at most"),
        ("set-param name=threads value=0", "from 1 to"),
        ("set-param name=hash-size value=99999999999999999999999", "from 1 to"),
        ("set-param name=level value=\u0665", "from 1 to 10"),
        ("set-param name=pace value=slow", "engine or person"),
        ("set-param name=no-such value=1", "no such parameter"),
        ("set-param name=rules-file value=/dev/null/x", "cannot be read"),
        ("x" * 1_100_000, "a line of more than"),
    ],
)
def test_bad_input_is_one_error_and_changes_nothing(engine, line, part):
    begin(engine, "russian", 10)
    engine.say("pos pos=W" + "eeeb" + "e" * 10 + "b" + "e" * 6 + "w" + "e" * 10, "level depth=3", "go think")
    before = read_hub(engine.until("done")[-1])
    engine.say(line, "ping")
    heard = engine.until("pong")
    assert len(heard) == 2
    assert part in read_hub(heard[0]).message
    engine.say("go think")
    assert read_hub(engine.until("done")[-1]) == before


def test_parameters_do_not_change_while_it_searches(engine):
    rules = begin(engine)
    engine.say(f"pos pos={position_text(rules.start())}", "level infinite", "go analyze")
    engine.until("info")
    engine.say("set-param name=variant value=russian")
    assert "not while searching" in engine.until("error")[-1]
    engine.say("stop")
    assert read_hub_move(read_hub(engine.until("done")[-1]).move, rules.legal_moves(rules.start()))


def test_what_is_asked_while_it_searches_is_answered_after(engine):
    rules = begin(engine)
    text = position_text(rules.start())
    engine.say(f"pos pos={text}", "level depth=4", "go think", f"pos pos={text} moves=32-28", "go think")
    engine.until("done")
    done = read_hub(engine.until("done")[-1])
    after = rules.start().after(read_hub_move("32-28", rules.legal_moves(rules.start())))
    assert read_hub_move(done.move, rules.legal_moves(after))


def game_texts(engine, start, plies, *lines):
    """The moves of a game that the engine plays against itself."""
    played = []
    engine.say("new-game", *lines)
    while len(played) < plies:
        engine.say(f'pos pos={start} moves="{" ".join(played)}"', "go think")
        played.append(read_hub(engine.until("done")[-1]).move)
    return played


def test_one_thread_and_a_number_of_positions_give_the_same_answers(engine):
    rules = begin(engine)
    games = [game_texts(engine, position_text(rules.start()), 6, "level nodes=3000") for _ in range(2)]
    assert games[0] == games[1]


def test_a_seed_gives_a_level_its_game_and_without_one_every_game_is_another(engine):
    rules = begin(engine, "russian", 3)
    start = position_text(rules.start())
    seeded = [game_texts(engine, start, 8, f"set-param name=seed value={seed}") for seed in (1, 2, 1)]
    assert seeded[0] == seeded[2] != seeded[1]
    drawn = {tuple(game_texts(engine, start, 8, "set-param name=seed value=0")) for _ in range(4)}
    assert len(drawn) > 1


def test_variety_plays_other_openings_at_full_strength(engine):
    rules = begin(engine)
    start = position_text(rules.start())
    engine.say("set-param name=variety value=10", "level nodes=2000")
    games = {tuple(game_texts(engine, start, 6, f"set-param name=seed value={seed}")) for seed in range(1, 6)}
    assert len(games) >= 4


def test_several_threads_find_a_legal_move_in_time(engine):
    rules = begin(engine)
    engine.say("set-param name=threads value=4", "set-param name=hash-size value=2")
    engine.say(f"pos pos={position_text(rules.start())}", "level move-time=0.3")
    for _ in range(3):
        started = time.monotonic()
        engine.say("go think")
        done = read_hub(engine.until("done")[-1])
        assert time.monotonic() - started < 4
        assert read_hub_move(done.move, rules.legal_moves(rules.start()))


def test_pondering_without_a_level_ends_by_itself_and_waits_for_the_hit(engine):
    rules = begin(engine)
    engine.say(f"pos pos={position_text(rules.start())}", "go ponder")
    engine.say("ping")
    before = engine.until("pong")
    assert not any(line.startswith("done") for line in before)
    engine.say("ponder-hit")
    told = engine.until("done")
    nodes = [int(line.split("nodes=")[1].split()[0]) for line in told if "nodes=" in line]
    assert max(nodes) <= 1_100_000


@pytest.mark.parametrize("level", [3, 10])
def test_a_pondered_move_waits_for_the_hit_and_comes_soon_after(engine, level):
    rules = begin(engine, "russian", level)
    engine.say(f"pos pos={position_text(rules.start())}", "level depth=4", "go ponder")
    engine.say("ping")
    assert not any(line.startswith("done") for line in engine.until("pong"))
    time_given = time.monotonic() + 0.5
    while time.monotonic() < time_given:
        engine.say("ping")
        assert not any(line.startswith("done") for line in engine.until("pong"))
    engine.say("ponder-hit")
    assert read_hub(engine.until("done", timeout=5)[-1]).move


def test_like_a_person_it_takes_its_time_but_answers_a_stop_at_once(engine):
    rules = begin(engine, "russian", 2)
    engine.say("set-param name=pace value=person", f"pos pos={position_text(rules.start())}")
    started = time.monotonic()
    engine.say("go think")
    engine.until("done")
    assert time.monotonic() - started > 0.4
    engine.say("level move-time=0.05", "go think")
    started = time.monotonic()
    engine.until("done")
    assert time.monotonic() - started < 2, "no longer than the clock allows"
    engine.say("level infinite", "go think", "stop")
    assert engine.until("done", timeout=5)


def test_very_short_times_are_kept(engine):
    rules = begin(engine)
    engine.say(f"pos pos={position_text(rules.start())}", "level move-time=0.02")
    late = 0
    for _ in range(30):
        started = time.monotonic()
        engine.say("go think")
        engine.until("done")
        late += time.monotonic() - started > 0.2
    assert late <= 2, "the machine may be busy, the engine may not be late"


@pytest.mark.skipif(not HAS_KERNEL, reason="the kernel is not compiled here")
def test_it_stays_within_its_memory(engine):
    rules = begin(engine)
    engine.say(f"pos pos={position_text(rules.start())}", "level nodes=3000000", "go think")
    engine.until("done", timeout=60)
    status = Path(f"/proc/{engine.process.pid}/status").read_text()
    (peak_kb,) = re.findall(r"VmHWM:\s+(\d+) kB", status)
    assert int(peak_kb) <= 64 * 1024


def test_a_house_rules_file_is_played(engine, tmp_path):
    file = tmp_path / "house.toml"
    file.write_text('base = "russian"\ntitle = "Giveaway"\ngoal = "inverted"\n', encoding="utf-8")
    begin(engine, "russian")
    engine.say(f'set-param name=rules-file value="{file}"', "level depth=5")
    engine.say("pos pos=W" + "eeeb" + "e" * 10 + "b" + "e" * 6 + "w" + "e" * 10, "go think")
    scores = [read_hub(line) for line in engine.until("done")]
    assert [message.score for message in scores if isinstance(message, Info)][-1] > 900


def test_quit_and_the_end_of_input_end_it(engine):
    engine.say("quit")
    assert engine.process.wait(timeout=10) == 0
    other = Engine()
    try:
        rules = begin(other)
        other.say(f"pos pos={position_text(rules.start())}", "level move-time=30", "go think")
        other.process.stdin.close()
        assert other.process.wait(timeout=10) == 0
        assert any(line.startswith("done move=") for line in iter(other.lines.get, None))
    finally:
        other.close()


def test_a_clock_is_shared_over_the_moves_to_come(engine):
    rules = begin(engine, "english")
    engine.say(f"pos pos={position_text(rules.start())}", "level moves=10 time=3.0")
    started = time.monotonic()
    engine.say("go think")
    engine.until("done")
    assert 0.25 < time.monotonic() - started < 4
