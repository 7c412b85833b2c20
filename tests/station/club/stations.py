"""Made-up stations as a club hears them: games by the reference rules, told as the interface says. Shares no code with
what reads it."""

from __future__ import annotations

import json
import random

from engine.fen import write_fen
from engine.game import new_game
from engine.notation import move_text, square_name
from engine.ruleset import load_ruleset

BASE = "dambord/v1"


def names(squares, ruleset):
    return [square_name(square, ruleset) for square in squares]


def move_json(move, legal, ruleset):
    return {
        "text": move_text(move, legal, ruleset),
        "from": square_name(move.from_square, ruleset),
        "path": names(move.path, ruleset),
        "captured": names(move.captured, ruleset),
        "to": square_name(move.to_square, ruleset),
        "promotes": move.promotes,
    }


def time_of(second):
    return f"2026-12-01T{10 + second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}.000Z"


class Telling:
    """A board that plays a game by chance and tells of it: each step gives the event, and the record after it."""

    def __init__(self, station, board, game, variant="russian", seed=0, second=0, white="person", black="engine:4"):
        self.station, self.board, self.id = station, board, game
        self.ruleset = load_ruleset(variant)
        self.chance = random.Random(seed)
        self.game = new_game(self.ruleset)
        self.told = []
        self.seq = 0
        self.second = second
        self.result = "*"
        self.players = {"white": white, "black": black}
        self.start = write_fen(self.game.start, self.ruleset)

    @property
    def topic(self):
        return f"{BASE}/{self.station}/{self.board}"

    def _event(self, kind, **fields):
        self.seq += 1
        self.second += 1
        event = {"id": f"{self.id}-{self.seq}", "seq": self.seq, "type": kind, "game": self.id}
        return (f"{self.topic}/event", json.dumps({**event, **fields, "at": time_of(self.second)}).encode())

    def record(self):
        told = {
            "game": self.id, "seq": self.seq, "variant": self.ruleset.name, "start_fen": self.start,
            "players": self.players, "pdn": "", "moves": self.told, "result": self.result,
        }  # fmt: skip
        return (f"{self.topic}/game", json.dumps(told).encode())

    def state(self, boot, **more):
        told = {
            "game": self.id, "variant": self.ruleset.name, "phase": "over" if self.result != "*" else "turn",
            "turn": str(self.game.position.turn), "ply": self.game.ply, "last_move": None, "result": self.result,
            "guidance": {"prompt": "turn", "sentence": "To move.", "squares": {}}, "clocks_ms": None, "clock": None,
            "draw": None, "players": self.players, "problem": None, "seq": self.seq, "boot": boot, **more,
        }  # fmt: skip
        return (f"{self.topic}/state", json.dumps(told).encode())

    def started(self):
        fields = {"variant": self.ruleset.name, "fen": self.start, **self.players, "clock": "5+3"}
        return self._event("game_started", **fields)

    def prompt(self):
        return self._event("prompt", prompt="turn", sentence="To move.", squares=[])

    def move(self):
        """One more move; None when the game is over by the rules."""
        legal = self.game.legal_moves
        if not legal or self.game.outcome() is not None:
            return None
        move = self.chance.choice(legal)
        side = str(self.game.position.turn)
        told = move_json(move, legal, self.ruleset)
        self.game = self.game.play(move)
        self.told = [*self.told, told]
        fen = write_fen(self.game.position, self.ruleset)
        return self._event("move", ply=self.game.ply, side=side, by="person", **told, fen=fen, elapsed_ms=900)

    def revise(self):
        """Another move instead of the last one; None where there is none."""
        if not self.told or self.result != "*":
            return None
        before = self.game.back(1)
        old = self.told[-1]
        others = [move for move in before.legal_moves if move_json(move, before.legal_moves, self.ruleset) != old]
        if not others:
            return None
        move = self.chance.choice(others)
        new = move_json(move, before.legal_moves, self.ruleset)
        self.game = before.play(move)
        self.told = [*self.told[:-1], new]
        fen = write_fen(self.game.position, self.ruleset)
        return self._event("revised", ply=self.game.ply, old=old, new=new, fen=fen)

    def take_back(self, plies=1):
        plies = min(plies, len(self.told))
        if not plies:
            return None
        self.game = self.game.back(plies)
        self.told = self.told[: len(self.told) - plies]
        self.result = "*"
        return self._event("taken_back", plies=plies, fen=write_fen(self.game.position, self.ruleset))

    def over(self, result=None, reason="resigned"):
        self.result = self.ruleset.results[0] if result is None else result
        return self._event("game_over", result=self.result, reason=reason, article="")

    def step(self):
        """One thing that may happen; always something."""
        kinds = [self.move] * 12 + [self.prompt] * 3 + [self.revise, self.take_back]
        if self.result != "*":
            kinds = [self.prompt, self.take_back]
        elif len(self.told) > 6:
            kinds += [self.over]
        return self.chance.choice(kinds)() or self.prompt()

    def texts(self):
        return [told["text"] for told in self.told]
