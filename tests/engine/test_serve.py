"""A conversation with the engine's own process."""

from __future__ import annotations

import subprocess
import sys
import time
from queue import Queue
from threading import Thread

import pytest

from engine.hub import Done, Id, Info, Param, hub_move_text, position_text, read_hub, read_hub_move
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
