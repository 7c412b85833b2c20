"""Engines that fail, lie or say nothing: the station says so, plays none of it, and goes on."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from pathlib import Path
from time import perf_counter

import pytest

from engine.game import new_game
from engine.hub import Go as GoOn
from engine.hub import Level, PonderHit, Stop
from engine.ruleset import load_ruleset
from station.effects import Choose, Clock
from station.events import PlayerChose, PlayerFailed
from station.phases import Answering, Turn, Waiting
from station.runtime import engine_player, hub_process
from station.runtime.engine_player import Engine
from station.runtime.player_errors import PlayerError
from station.runtime.players import PlayerWorker
from station.runtime.table_maker import TableMaker

RUSSIAN = load_ruleset("russian")
FAKE = Path(__file__).with_name("fake_hub.py")


def hub(habit):
    return "hub:" + shlex.join([sys.executable, str(FAKE), habit])


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def begin_and_choose(engine):
    engine.begin()
    return engine.choose(new_game(RUSSIAN))


@pytest.mark.parametrize("habit", ["illegal", "nonsense", "silent done", "babbling", "error", "dies", "dead"])
def test_what_is_no_legal_answer_is_a_player_error_and_leaves_no_process(habit):
    engine = Engine(hub(habit), RUSSIAN)
    pid = engine._process.pid
    try:
        with pytest.raises(PlayerError, match=r"."):
            begin_and_choose(engine)
    finally:
        engine.close()
        engine.close()
    assert not is_running(pid)


def test_a_command_that_does_not_exist_is_named():
    with pytest.raises(PlayerError, match="no-such-engine"):
        Engine("hub:/no-such-engine", RUSSIAN)
    with pytest.raises(PlayerError):
        Engine("hub:'unbalanced", RUSSIAN)


def test_a_deaf_engine_is_given_up():
    engine = Engine(hub("deaf"), RUSSIAN)
    engine.answer_s = 0.3
    try:
        with pytest.raises(PlayerError, match="silent"):
            engine.begin()
    finally:
        engine.close()


def test_the_stations_own_engine_answers():
    engine = Engine("engine:1", RUSSIAN)
    try:
        engine.begin()
        game = new_game(RUSSIAN)
        for _ in range(3):
            game = game.play(engine.choose(game)[0])
        assert game.ply == 3
    finally:
        engine.close()


class Overheard(Engine):
    """The station's own engine, and what it was told to search for."""

    def _send(self, message):
        self.told = [*getattr(self, "told", []), message]
        super()._send(message)

    def searches(self):
        return [m for m in self.told if isinstance(m, GoOn | PonderHit | Stop)]


@pytest.mark.parametrize("is_expected", [True, False], ids=["the expected reply", "another reply"])
def test_the_strongest_level_thinks_on_its_opponents_time(is_expected, monkeypatch):
    monkeypatch.setattr(engine_player, "VARIETY", 0)  # a move of variety's sake comes without the reply expected
    engine = Overheard("engine:10", RUSSIAN)
    try:
        engine.begin()
        game = new_game(RUSSIAN)
        answer, _ = engine.choose(game)
        game = game.play(answer)
        expected = engine._expected
        engine.think_on(game)
        reply = next(move for move in game.legal_moves if (move.effect == expected.effect) is is_expected)
        game = game.play(reply)
        chosen, _ = engine.choose(game)
        assert chosen.effect in {move.effect for move in game.legal_moves}
        after = [PonderHit()] if is_expected else [Stop(), GoOn()]
        assert engine.searches() == [GoOn(), GoOn("ponder"), *after]
    finally:
        engine.close()


def test_weaker_levels_do_not_think_on_their_opponents_time():
    engine = Overheard("engine:3", RUSSIAN)
    try:
        engine.begin()
        game = new_game(RUSSIAN)
        engine.think_on(game.play(engine.choose(game)[0]))
        assert engine.searches() == [GoOn()]
    finally:
        engine.close()


def test_a_new_game_ends_what_was_pondered(monkeypatch):
    monkeypatch.setattr(engine_player, "VARIETY", 0)
    engine = Overheard("engine:10", RUSSIAN)
    try:
        engine.begin()
        game = new_game(RUSSIAN)
        engine.think_on(game.play(engine.choose(game)[0]))
        assert engine.choose(game)[0] in game.legal_moves
        assert engine.searches() == [GoOn(), GoOn("ponder"), Stop(), GoOn()]
    finally:
        engine.close()


def test_no_more_engines_run_than_a_game_has_players(tmp_path):
    worker = PlayerWorker("table", loop=None, endings=TableMaker(tmp_path))
    game = new_game(RUSSIAN)
    pids = []
    try:
        for number, level in enumerate((1, 2, 1, 3)):
            engine = worker._engine(Choose(number, f"engine:{level}", game))
            pids.append(engine._process.pid)
        assert pids[0] == pids[2], "it was asked again"
        assert is_running(pids[0])
        assert not is_running(pids[1])
        assert is_running(pids[3])
    finally:
        for engine in worker._engines.values():
            engine.close()


def test_a_bad_engine_is_spoken_of_and_never_played(stand):
    table = stand(black=hub("illegal"))
    table.watcher.wait(lambda o: isinstance(o.session.phase, Turn))
    table.move((2, 5), (3, 4))
    failed = table.watcher.wait(lambda o: isinstance(o.event, PlayerFailed))
    again = table.watcher.wait(lambda o: isinstance(o.event, PlayerFailed) and o.event.request > failed.event.request)
    assert "1-50" in again.session.problem
    assert isinstance(again.session.phase, Waiting)
    assert again.session.game.ply == 1
    assert not any(isinstance(o.event, PlayerChose) for o in table.watcher.outcomes)


def test_a_killed_engine_is_started_again_and_the_game_goes_on(stand):
    table = stand(black="engine:9")
    table.watcher.wait(lambda o: isinstance(o.session.phase, Turn))
    worker = table.service.players[0]
    table.move((2, 5), (3, 4))
    table.watcher.wait(lambda o: any(isinstance(effect, Choose) for effect in o.effects))
    table.until(lambda: worker._thinking is not None)
    (engine,) = worker._engines.values()
    os.kill(engine._process.pid, signal.SIGKILL)
    failed = table.watcher.wait(lambda o: isinstance(o.event, PlayerFailed))
    assert failed.session.problem
    answered = table.watcher.wait(lambda o: isinstance(o.session.phase, Answering), 60)
    assert answered.session.game.ply == 1
    assert not answered.session.problem


def test_an_engine_that_hangs_is_started_again_and_asked_the_same(stand, monkeypatch):
    hung, begin = [], Engine.begin

    def begin_and_hang(engine):
        begin(engine)
        if not hung:
            os.kill(engine._process.pid, signal.SIGSTOP)  # it runs on, and will never answer
            hung.append(engine._process.pid)

    monkeypatch.setattr(Engine, "begin", begin_and_hang)
    monkeypatch.setattr(engine_player, "PING_S", 1.0)
    table = stand(black="engine:9")
    table.watcher.wait(lambda o: isinstance(o.session.phase, Turn))
    table.move((2, 5), (3, 4))
    failed = table.watcher.wait(lambda o: isinstance(o.event, PlayerFailed))
    assert "did not answer a ping" in failed.session.problem
    assert isinstance(failed.session.phase, Waiting)
    answered = table.watcher.wait(lambda o: isinstance(o.session.phase, Answering), 60)
    assert answered.session.game.ply == 1
    assert not answered.session.problem
    assert not is_running(hung[0])


def test_an_engine_is_told_the_clock_and_says_what_it_thinks():
    """The fake's score is the time that it was told, in s."""
    engine = Engine(hub("tells its limit"), RUSSIAN)
    try:
        engine.begin()
        for clock, score in ((Clock(61_500, 2000), 6150), (Clock(2000, 0), 200), (None, 100)):
            assert engine.choose(new_game(RUSSIAN), clock)[1] == score
    finally:
        engine.close()


def test_the_stations_own_engine_keeps_to_the_clock_and_forgets_it_afterwards():
    engine = Engine("engine:10", RUSSIAN)
    game = new_game(RUSSIAN)
    try:
        engine.begin()
        began = perf_counter()
        for _ in range(3):
            move, score = engine.choose(game, Clock(3000, 0))
            assert move in game.legal_moves
            assert score is not None
        assert perf_counter() - began < 3
        assert engine._limit(None) == Level()
        assert engine._limit(None) is None
    finally:
        engine.close()


def test_an_engine_that_thinks_long_and_answers_pings_is_left_alone(monkeypatch):
    monkeypatch.setattr(engine_player, "PING_S", 0.3)
    engine = Engine("engine:5", RUSSIAN, is_unhurried=True)
    try:
        engine.begin()
        game = new_game(RUSSIAN)
        for _ in range(2):
            game = game.play(engine.choose(game)[0])
    finally:
        engine.close()
    assert game.ply == 2


def test_a_question_that_is_withdrawn_ends_the_search(stand):
    table = stand(black="engine:10")
    table.watcher.wait(lambda o: isinstance(o.session.phase, Turn))
    worker = table.service.players[0]
    table.move((2, 5), (3, 4))
    table.until(lambda: worker._thinking is not None)
    table.move((3, 4), (2, 5))  # taken back on the board
    table.watcher.wait(lambda o: o.session.game.ply == 0 and isinstance(o.session.phase, Turn) and o.session.request)
    table.until(lambda: worker._thinking is None, 8)


def test_engines_end_with_the_station(stand):
    table = stand(black="engine:10")
    table.watcher.wait(lambda o: isinstance(o.session.phase, Turn))
    worker: PlayerWorker = table.service.players[0]
    table.move((2, 5), (3, 4))
    table.until(lambda: worker._thinking is not None)
    (engine,) = worker._engines.values()
    table.service.stop()
    assert not is_running(engine._process.pid)
    assert hub_process.ANSWER_S > 10
