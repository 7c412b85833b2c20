"""A board that remembers: what was played while nobody listened is read from its memory, move by move."""

from __future__ import annotations

from random import Random

import pytest

from engine.rules import rules_for
from engine.ruleset import load_ruleset
from firmware_bridge.simulator import DgtBoard
from station.phases import Over, Turn, Waiting
from station.runtime.boards import driver_class
from station.runtime.desk import Desk
from station.runtime.made_games import made_games
from station.runtime.simulate import Setup, settings_for
from station.runtime.witness import Witness
from station.session import begin
from station.simulation.hands import PRESETS as HANDS
from station.simulation.turns import turn_acts
from station.texts import load_texts

from .weather import Forecast, Line, Outdoors

READ_MS = 75_000
"""The board is compared, its memory read (eight seconds), and what it tells shown again, a second or so a move."""


class Forgetful(DgtBoard):
    """A board whose memory cannot be asked for."""

    def receive(self, data, now_ms):
        return super().receive(data.replace(b"\x49", b""), now_ms)


def played(board, variant, before, away, seed, off=False):
    """A game of which some moves are made at the table, then some while the station is away; the table afterwards."""
    ruleset = load_ruleset(variant)
    rules, game, chance = rules_for(ruleset), next(iter(made_games(ruleset, seed))), Random(seed)
    for square, piece in enumerate(game.start.contents):
        board.put(ruleset.geometry.cells[square], piece, 0)
    moves = game.moves[: before + away]
    desk = Desk(begin(settings_for(ruleset, Setup("dgt"), game.start), load_texts("en"), "seed"))
    driver = driver_class("dgt")(ruleset.geometry, rules.start().contents)
    table = Outdoors(Line(board, chance), driver, desk, Witness(moves), Forecast(chance, ()))
    table.until_ready()
    position, world, last_ms = rules.opened(game.start), game.start.contents, table.now_ms
    for ply, move in enumerate(moves):
        if ply == before:
            table.advance(last_ms + 3000)
            table.board.begin("silent", table.now_ms, 0)
            if off:
                board.power_cycle(table.now_ms)
        begins_ms = last_ms + HANDS["calm"].thinking.draw(chance)
        for act in turn_acts(position, move, rules, world, HANDS["calm"], chance, begins_ms):
            table.witness.begins(act)
            for touch in act.touches:
                table.touch(touch)
            world, last_ms = act.world, act.last_contact_ms
        position = position.after(move)
    table.advance(last_ms + 5000)
    table.board.end(table.now_ms)
    table.advance(table.now_ms + READ_MS)
    return table


def record(table):
    return [move.effect for move in table.desk.session.game.moves]


def meant(table):
    return [move.effect for move in table.witness.intended]


@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize(("variant", "size"), [("russian", 8), ("international", 10)])
def test_what_was_played_while_the_station_was_away_is_read_from_the_boards_memory(variant, size, seed):
    table = played(DgtBoard(size, size, seed=seed), variant, 6, 12, seed)
    assert record(table) == meant(table)
    assert isinstance(table.desk.session.phase, Turn | Waiting | Over)


def test_also_when_the_board_itself_began_anew_before():
    table = played(DgtBoard(8, 8, seed=2), "russian", 6, 12, 2, off=True)
    assert record(table) == meant(table)


def test_without_a_memory_so_many_moves_are_not_made_up():
    table = played(Forgetful(8, 8, seed=1), "russian", 6, 12, 1)
    assert record(table) == meant(table)[:6]
