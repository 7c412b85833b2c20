"""A station that plays for ever in simulated time, with journals on a real disk, until it is killed.

`python killed_station.py FOLDER SEED`: goes on with what FOLDER holds; prints each announcement once it may be made.
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import msgspec

from engine.game import Game
from engine.position import Position
from engine.ruleset import load_ruleset
from firmware_bridge.simulator import device_for
from station.announcements import fen_of
from station.effects import Announce
from station.journal import FORMAT, Header, plain_resumed
from station.phases import Over, Turn
from station.runtime.boards import driver_class
from station.runtime.desk import Desk, JournalFile
from station.runtime.service import boot_after, resume
from station.runtime.simulate import Table
from station.runtime.version import PROGRAM
from station.session import begin
from station.settings import BLITZ, Settings
from station.simulation.hands import PRESETS, play_move
from station.texts import load_texts

RULESET = load_ruleset("russian")


class Teller:
    """Says what is announced; it hears of it when the journal has it. Knows what was meant, for whoever is asked."""

    def __init__(self):
        self.intended, self.performed = (), ()

    def hear(self, effects, session, at_ms):
        for effect in effects:
            if isinstance(effect, Announce):
                said = {"game": effect.game, "seq": effect.seq, "what": msgspec.to_builtins(effect.what)}
                sys.stdout.write(msgspec.json.encode(said).decode() + "\n")
        sys.stdout.flush()


def station(folder: Path, seed: int) -> Table:
    resumed = resume(folder)
    settings = Settings("table", RULESET, pace=BLITZ)
    boot = boot_after("000000000001", folder.parent)
    kept = plain_resumed(resumed) if resumed else None
    header = Header(FORMAT, PROGRAM, boot, "2026-01-01T00:00:00.000Z", settings, "en", kept)
    desk = Desk(
        begin(settings, load_texts("en"), boot, resumed),
        JournalFile(folder / f"{boot}.jsonl", header),
    )
    board = device_for("matrix", RULESET.columns, RULESET.rows, seed=seed, colour=True, period_ms=200)
    set_up(board, desk.session.game.position, 0)
    driver = driver_class("matrix")(RULESET.geometry, desk.session.game.start.contents)
    return Table(board, driver, desk, Teller())


def set_up(board, position: Position, now_ms: int) -> None:
    for square, piece in enumerate(position.contents):
        board.put(RULESET.geometry.cells[square], piece, now_ms)


def play_on(table: Table, chance: Random) -> None:
    while True:
        session = table.desk.session
        match session.phase:
            case Turn():
                make_a_move(table, session.game, chance)
            case Over():
                set_up(table.board, session.game.start, table.now_ms)
                table.advance(table.now_ms + 2000)
            case _:
                table.advance(table.now_ms + 200)


def make_a_move(table: Table, game: Game, chance: Random) -> None:
    """Hands make a random move; then nothing else until the board has been understood."""
    position, rules, legal = game.position, game.rules, game.legal_moves
    move = chance.choice(legal)
    table.witness.intended = (*game.moves, move)
    ways, geometry = rules.ways(position)[move.effect], RULESET.geometry
    begins = table.now_ms + 100
    performance = play_move(position, move, ways, legal, geometry, PRESETS["clean"], chance, begins, position.contents)
    for touch in performance.touches:
        table.touch(touch)
    table.advance(table.now_ms + 1500)
    if table.desk.session.game.ply == game.ply:
        raise AssertionError(f"{fen_of(position, RULESET)}: {move} was not understood")


if __name__ == "__main__":
    play_on(station(Path(sys.argv[1]), int(sys.argv[2])), Random(int(sys.argv[2])))
