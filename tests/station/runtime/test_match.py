"""Matches: fair pairs of games, results to be trusted, and players that fail, lie or say nothing."""

from __future__ import annotations

import json
import shlex
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic

import pytest

from engine.game import new_game
from engine.pdn import read_pdn
from engine.position import Side
from engine.ruleset import load_ruleset, variant_names
from station.errors import ConfigError
from station.runtime.cli import main
from station.runtime.contenders import Limits, contender
from station.runtime.match import Match, Thought, openings, referee
from station.runtime.player_errors import UnfitError

INTERNATIONAL = load_ruleset("international")
RUSSIAN = load_ruleset("russian")
FAKE = Path(__file__).with_name("hub_player.py")
LIMITS = Limits(seconds=0.5, margin_s=1.0)


def fake(*habit):
    return shlex.join([sys.executable, str(FAKE), *habit])


def match_of(first, second, games, ruleset=INTERNATIONAL, most_plies=40, side_by_side=1, limits=LIMITS):
    def make_pair():
        return contender(first, ruleset, limits), contender(second, ruleset, limits)

    begun = openings(ruleset, "random:4", (games + 1) // 2, 5)
    return Match(make_pair, begun, games, most_plies, side_by_side)


def run(capsys, *arguments):
    try:
        code = main(["match", *map(str, arguments)])
    except SystemExit as end:
        code = end.code
    return code, *capsys.readouterr()


def test_every_opening_is_played_with_both_colours():
    match = match_of(fake("plays"), fake("plays"), 4)
    played = sorted(match.played(), key=lambda game: game.number)
    assert match.stopped == ""
    assert [game.first_is_white for game in played] == [True, False, True, False]
    assert [game.pair for game in played] == [0, 0, 1, 1]
    for white, black in (played[:2], played[2:]):
        # Both players are the same, so that the games of a pair are, and the points even out.
        assert white.game.moves == black.game.moves
        assert white.points + black.points == 1
    assert played[0].opened.game.position != played[2].opened.game.position
    assert all(game.fault is None and game.names == ("First Move 7", "First Move 7") for game in played)


def test_what_the_engines_told_is_added_up():
    (game,) = match_of(fake("plays"), fake("plays"), 1, most_plies=10).played()
    first, second = game.thoughts
    assert (first.moves, second.moves) == (3, 3)
    assert (first.depth, first.nodes) == (5, 3000)
    assert 0 < first.took_ms / 3 <= first.slowest_ms < 1500
    both = first + second
    assert (both.moves, both.nodes, both.depth) == (6, 6000, 5)
    assert both.nodes_per_second == pytest.approx(1000 * 6000 / (first.took_ms + second.took_ms))
    assert (Thought().depth, Thought().nodes_per_second) == (None, None)


@pytest.mark.parametrize(
    ("habit", "kind", "reason"),
    [
        ("illegal", "illegal", "1-50 is not a legal move"),
        ("silent", "silent", "silent for 1.5 s"),
        ("babbles", "silent", "silent for 1.5 s"),
        ("dies", "ended", "the engine has ended"),
        ("error", "error", "out of order"),
    ],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_who_fails_loses_that_game_and_plays_the_next(tmp_path, habit, kind, reason, is_first):
    once = fake(habit, str(tmp_path / "done"))
    both = (once, fake("plays")) if is_first else (fake("plays"), once)
    began = monotonic()
    played = list(match_of(*both, 2, most_plies=12).played())
    assert monotonic() - began < 30
    assert len(played) == 2
    faulty = played[0]
    assert faulty.fault_of_first is is_first
    assert faulty.points == (0 if is_first else 1)
    assert faulty.fault.kind == kind
    assert reason in faulty.fault.reason
    assert faulty.outcome.reason == faulty.fault.reason
    # Two moves each were made before, and the faulty move is not in the game.
    assert faulty.game.ply == 8 + (faulty.opened.game.position.turn is not faulty.fault.side)
    assert played[1].fault is None
    assert played[1].fault_of_first is None


def test_an_engine_that_always_fails_loses_all_games():
    played = list(match_of(fake("dies"), fake("plays"), 4).played())
    assert [game.points for game in played] == [0, 0, 0, 0]


def processes_with(word):
    """Those whose command line holds a word."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if word.encode() in path.read_bytes():
                found.append(path.parent.name)
    return found


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="needs /proc, which this system has not")
def test_processes_end_with_the_match(tmp_path):
    player = fake("plays", str(tmp_path))
    match = match_of(player, player, 40, side_by_side=2)
    games = match.played()
    next(games)
    assert len(processes_with(str(tmp_path))) >= 2
    games.close()  # as an interruption does
    assert match.stopped == "interrupted"
    assert processes_with(str(tmp_path)) == []


def test_games_side_by_side_are_the_same_games():
    alone = {game.number: game.game.moves for game in match_of(fake("plays"), fake("plays"), 6).played()}
    beside = {
        game.number: game.game.moves for game in match_of(fake("plays"), fake("plays"), 6, side_by_side=2).played()
    }
    assert len(alone) == 6
    assert alone == beside


@pytest.mark.parametrize("command", ["/no-such-engine", shlex.join([sys.executable, "-c", "pass"])])
def test_an_engine_that_cannot_be_started_stops_the_match(command):
    match = match_of(fake("plays"), command, 4)
    assert list(match.played()) == []
    assert command in match.stopped


def test_the_rule_set_is_told_only_to_engines_that_ask_for_it():
    for habit, variant, fits in [
        ("one game", "international", True),
        ("plays", "frisian", True),
        ("scan", "frisian", True),
        ("scan", "breakthrough", True),
        ("scan", "russian", False),
    ]:
        ruleset = load_ruleset(variant)
        player = contender(fake(habit), ruleset, LIMITS)
        game = new_game(ruleset)
        try:
            if fits:
                player.new_game(game, Side.WHITE)
                assert player.choose(game).move == game.legal_moves[0]
            else:
                with pytest.raises(
                    UnfitError, match="the engine plays normal, killer, bt, frisian, losing, not russian"
                ):
                    player.new_game(game, Side.WHITE)
        finally:
            player.close()


def test_a_parameter_that_the_engine_does_not_name_is_refused():
    player = contender(fake("plays"), INTERNATIONAL, LIMITS, {"book": "false"})
    with pytest.raises(UnfitError, match="no parameter book, expected one of variant, speed"):
        player.new_game(new_game(INTERNATIONAL), Side.WHITE)
    player.close()


def test_the_referee_goes_by_the_rules_and_the_length():
    game = new_game(RUSSIAN)
    assert referee(game, 200) is None
    drawn = game
    while drawn.outcome(claimed=True) is None and drawn.ply < 200:
        drawn = drawn.play(drawn.legal_moves[0])
    assert referee(drawn, 200) == drawn.outcome(claimed=True)
    short = game.play(game.legal_moves[0])
    assert referee(short, 1).winner is None
    assert referee(short, 1).reason == "1 plies"
    assert referee(short, 2) is None


class TestOpenings:
    def test_tables_are_used_where_there_are_some(self):
        found = openings(RUSSIAN, "", 60, 3)
        assert len({opened.game.position.diagram for opened in found}) == 60
        assert all(opened.opening and opened.drawn_plies == opened.game.ply for opened in found)
        only = openings(RUSSIAN, "basic-150", 20, 3)
        assert all(opened.opening.startswith("basic-150 ") for opened in only)

    def test_random_ones_are_level_and_quiet(self):
        found = openings(INTERNATIONAL, "", 50, 3)
        assert len({opened.game.position.diagram for opened in found}) == 50
        for opened in found:
            assert opened.game.ply == 6
            assert len(opened.game.position.pieces(Side.WHITE)) == len(opened.game.position.pieces(Side.BLACK))
            assert not any(move.captured for move in opened.game.legal_moves)

    def test_the_seed_decides(self):
        for variant in (RUSSIAN, INTERNATIONAL):
            assert openings(variant, "", 9, 1) == openings(variant, "", 9, 1)
            assert openings(variant, "", 9, 1) != openings(variant, "", 9, 2)

    def test_there_may_be_fewer_than_games(self):
        found = openings(INTERNATIONAL, "random:0", 3, 1)
        assert len(found) == 3
        assert {opened.game.ply for opened in found} == {0}

    @pytest.mark.parametrize("wanted", ["random:x", "random:41", "no-such-table"])
    def test_what_cannot_be_drawn_is_said(self, wanted):
        with pytest.raises(ConfigError, match=r"openings .*expected random:PLIES"):
            openings(RUSSIAN, wanted, 2, 1)

    def test_house_rules_leave_out_what_they_forbid(self):
        house = replace(RUSSIAN, name="house", base="russian", start_fen="W:Wc1,e1,g1:Bb8,d8,f8")
        assert all(opened.game.ruleset == house for opened in openings(house, "", 4, 1))


def test_the_command_prints_one_document(capsys, tmp_path):
    pdn = tmp_path / "games.pdn"
    players = ("--white", fake("plays"), "--black", fake("illegal", str(tmp_path / "done")))
    usual = ("--games", 4, "--seconds", 0.5, "--moves-limit", 30, "--seed", 2)
    code, out, err = run(capsys, "--variant", "international", *players, *usual, "--pdn", pdn, "--json")
    assert (code, err) == (0, "")
    assert out.count("\n") == 1
    found = json.loads(out)
    assert (found["games"], found["wins"] + found["draws"] + found["losses"]) == (4, 4)
    assert found["points"] == found["wins"] + found["draws"] / 2
    assert found["share"] == found["points"] / 4
    assert sum(found["pairs"]) == 2
    (fault,) = found["faults"]
    assert (fault["game"], fault["by"], fault["kind"]) == (1, "black", "illegal")
    assert found["elo_low"] < found["elo"] < found["elo_high"] or found["share"] in (0, 1)
    assert found["white"]["name"] == found["black"]["name"] == "First Move 7"
    assert found["white"]["depth"] == 5
    assert sum(found["ended_by"].values()) == 3
    games = read_pdn(pdn.read_text(), RUSSIAN)
    assert [game.is_legal for game in games] == [True] * 4
    assert [game.ruleset.name for game in games] == ["international"] * 4
    assert [game.tags["Round"] for game in games] == ["1.1", "1.2", "2.1", "2.2"]
    assert sum(len(game.moves) for game in games) == found["plies"]
    assert "1-50" in games[0].tags["Termination"]
    assert games[0].result == "2-0"


def test_our_own_engine_plays_itself(capsys):
    players = ("--white", "engine:1", "--black", "engine:2")
    code, out, _ = run(capsys, "--variant", "russian", *players, "--games", 2, "--nodes", 60, "--moves-limit", 20)
    assert code == 0
    assert out.startswith("Dambord ")
    assert "2 games: +" in out


@pytest.mark.soak
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("variant", variant_names())
def test_our_own_engine_never_fails_in_many_fast_games(variant):
    """With all rule sets some 2,000 games at 20 ms a move: none is lost by an illegal move, silence or a crash."""
    limits = Limits(seconds=0.02, margin_s=0.5)
    ruleset = load_ruleset(variant)
    games = 2 * -(-1000 // len(variant_names()))

    def make_pair():
        return contender("dambord", ruleset, limits), contender("engine:7", ruleset, limits)

    played = list(Match(make_pair, openings(ruleset, "", games // 2, 11), games).played())
    assert [game.fault for game in played] == [None] * games


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--white", "engine:11"), "expected engine:1 to engine:10"),
        (("--white", "'unbalanced"), "quotation"),
        (("--white", ""), "expected an engine's command line"),
        (("--white", "dxp:nowhere"), "expected dxp:HOST:PORT"),
        (("--white", "dxp:a:99999"), "expected dxp:HOST:PORT"),
        (("--white", "dxp:localhost:27531", "--variant", "russian"), "board 10x10"),
        (("--white", "dxp:localhost:27531", "--white-set", "a=b"), "DamExchange has none"),
        (("--white", "dxp:localhost:27531", "--concurrency", "2"), "--concurrency 2"),
        (("--white-set", "book"), "NAME=VALUE"),
        (("--games", "0"), "--games 0"),
        (("--moves-limit", "0"), "--moves-limit 0"),
        (("--seconds", "0"), "--seconds 0"),
        (("--seconds", "nan"), "--seconds nan"),
        (("--nodes", "-5"), "--nodes -5"),
        (("--margin", "-1"), "--margin -1"),
        (("--variant", "rusian"), "russian"),
        (("--openings", "nothing"), "openings 'nothing'"),
        (("--black", "/no-such-engine"), "/no-such-engine"),
        (("--white-set", "colour=red"), "no parameter colour"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(capsys, arguments, reason):
    usual = ["--variant", "international", "--white", "engine:1", "--black", "engine:1", "--games", "2"]
    code, out, err = run(capsys, *usual, *arguments)
    assert (code, out) == (2, "")
    assert reason in err
    assert err.startswith("dambord: ")
    assert err.count("\n") == 1
