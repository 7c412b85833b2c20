"""What befalls an arm in the middle of a move, each at a moment and in a position that chance chooses; and a person
who does what the page says afterwards, knowing the position and the pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import dist
from random import Random

from engine.fen import write_fen
from engine.game import Game
from engine.position import EMPTY, Move, Piece, Side, side_of
from engine.rules import rules_for
from engine.ruleset import load_ruleset
from firmware_bridge.simulator.grbl_axes import ChipFaults
from firmware_bridge.simulator.servo_bus import ServoBus
from station.events import ArmLost, HandSeen, StopTold
from station.handling.arm import Acting
from tests.station.arm_table import ArmTable, servo_arm

ROUNDS = 25
"""Whoever does what is said is done after so many things."""
CROOKED_MM = 6.0
"""A piece so far off the middle is put straight by whoever looks."""

Mishap = Callable[[ArmTable, Random], None]


def begun(variant: str, chance: Random, wanted: Callable[[Move], bool]) -> tuple[str, Move]:
    """A position of a random game in which White is to move, and a move to which each reply is as wanted."""
    ruleset = load_ruleset(variant)
    while True:
        game = Game(ruleset, (rules_for(ruleset).start(),))
        for _ in range(chance.randrange(4, 60)):
            replies = game.legal_moves
            if not replies or game.outcome() is not None:
                break
            if game.position.turn is Side.BLACK and len(game.moves) > 4 and all(map(wanted, replies)):
                return write_fen(game.positions[-2], ruleset), game.moves[-1]
            game = game.play(chance.choice(replies))


WANTED: dict[str, Callable[[Move], bool]] = {
    "tray": lambda move: len(move.captured) > 1,
    "spares": lambda move: move.promotes,
}


def at_once(table: ArmTable, chance: Random, act: Callable[[], object]) -> None:
    """Have something happen at some moment of a step, if there is one."""
    ends = ("Over", "Turn")
    table.wait(1000)
    table.until(lambda: isinstance(table.session.arm.stage, Acting) or table.phase in ends)
    for _ in range(chance.randrange(40)):
        if table.session.game.ply < 2:
            table.wait(chance.randrange(1, 120))
    act()


def _others(table: ArmTable) -> list[int]:
    """Squares of pieces that the move does not touch."""
    move = getattr(table.session.phase, "move", None)
    touched = {move.from_square, move.to_square, *move.captured} if move is not None else set()
    return [square for square, piece in enumerate(table.stands) if piece is not EMPTY and square not in touched]


def _nudge(table: ArmTable, chance: Random) -> None:
    square = chance.choice(_others(table) or [0])
    table.shop.push(table.ruleset.geometry.cells[square], (chance.uniform(-25, 25), chance.uniform(-25, 25)))
    table.sense()


def _carry_off(table: ArmTable, chance: Random) -> None:
    """A person moves a piece while the arm does."""
    squares = _others(table)
    free = [square for square, piece in enumerate(table.stands) if piece is EMPTY]
    if not squares or not free:
        return
    start, end = chance.choice(squares), chance.choice(free)
    piece = table.stands[start]
    table.touch(start, EMPTY)
    if chance.random() < 0.7:
        table.touch(end, piece)


def _bump(table: ArmTable, chance: Random) -> None:
    by = (chance.uniform(-12, 12), chance.uniform(-12, 12))
    for cell in table.ruleset.geometry.cells:
        table.shop.push(cell, by)
    table.sense()


def _hand(table: ArmTable, chance: Random) -> None:
    table.send(HandSeen(table.now, True))
    table.wait(chance.randrange(100, 3000))
    table.send(HandSeen(table.now, False))


def _press_stop(table: ArmTable, chance: Random) -> None:
    table.send(StopTold(table.now, True))
    table.motion.shut(table.now)
    table.wait(chance.randrange(100, 3000))
    table.motion.open()
    table.send(StopTold(table.now, False))


def _unplug(table: ArmTable, chance: Random) -> None:
    table.send(ArmLost(table.now, "unplugged"))
    table.wait(chance.randrange(500, 5000))
    table.open_port()


def _now(**changes: Callable[[Random], object]) -> Mishap:
    """The tool is spoilt from the start."""

    def spoil(table: ArmTable, chance: Random) -> None:
        for name, value in changes.items():
            setattr(table.shop.tool, name, value(chance))

    return spoil


def _servo(fault: str) -> Mishap:
    """A joint fails."""
    return lambda table, chance: setattr(chance.choice(list(table.chip.servos.values())), fault, True)


def _chip(**changes: Callable[[Random], object]) -> Mishap:
    """The controller fails at a move that chance chooses."""

    def spoil(table: ArmTable, chance: Random) -> None:
        faults = ChipFaults()
        for name, value in changes.items():
            setattr(faults, name, value(chance))
        table.chip.faults = faults

    return spoil


def _short_axis(table: ArmTable, chance: Random) -> None:
    """The controller's own limit lies nearer than where the board does."""
    table.chip.receive(f"$130={chance.uniform(160, 440):.0f}\n".encode(), table.now)


def some_move(chance: Random) -> int:
    return chance.randrange(1, 14)


DURING: dict[str, Mishap] = {
    "nudged": _nudge,
    "hand": _hand,
    "moved": _carry_off,
    "unplugged": _unplug,
    "stop": _press_stop,
    "bumped": _bump,
    "overloaded": _servo("is_overloaded"),
    "limp": _servo("is_limp"),
    "no servo": _servo("is_missing"),
    "stuck": _now(is_stuck=lambda _: True),
}
"""What happens while the arm is about its move."""
BEFORE: dict[str, Mishap] = {
    "dropped": _now(drops_after_mm=lambda chance: chance.uniform(5, 150)),
    "misgrip": _now(misses=lambda chance: chance.randrange(1, 5)),
    "garbled": _chip(garbled_at_move=some_move),
    "reset": _chip(reset_at_move=some_move),
    **{f"alarm {n}": _chip(alarm_at_move=some_move, alarm=lambda _, n=n: n) for n in range(1, 10)},
    "error": _chip(error_at_move=some_move),
    "silent": _chip(silent_at_move=some_move),
    "lost steps": _chip(lost_steps_at_move=some_move),
    "soft limit": _short_axis,
    "no home": _chip(switch_never=lambda _: True),
    "tray": lambda table, chance: None,
    "spares": lambda table, chance: None,
}
MISHAPS = (*BEFORE, *DURING, "power")
SERVOS = {"machine": servo_arm, "slots": 8, "spares": 1}
SETTINGS = {
    "tray": {"slots": 7, "spares": 3},
    "spares": {"spares": 0},
    "overloaded": SERVOS,
    "limp": SERVOS,
    "no servo": SERVOS,
}


class Person:
    """Does what the page says: puts right what stands wrong, frees what is held, presses when asked to."""

    def __init__(self, table: ArmTable, chance: Random) -> None:
        self.table, self.chance = table, chance
        self.said: list[str] = []

    def finish(self, ply: int) -> None:
        """Go on until the record has so many moves and nothing is left to do."""
        for _ in range(ROUNDS):
            if self._is_done(ply):
                return
            self.obey()
        raise AssertionError(f"still not done: {self.said[-6:]}")

    def _is_done(self, ply: int) -> bool:
        self.table.wait(1500)
        is_played = self.table.session.game.ply >= ply and not self.table.session.arm.is_busy
        return is_played and self._stands(self.table.session.game.position.contents)

    def _stands(self, contents: Sequence[Piece]) -> bool:
        return [side_of(piece) for piece in self.table.stands] == [side_of(piece) for piece in contents]

    def obey(self) -> None:
        """The one next thing to do."""
        table, shown = self.table, self.table.guidance
        assert shown.sentence
        self.said.append(f"{shown.key}: {shown.sentence}")
        move = getattr(table.session.phase, "move", None)
        position = table.session.game.position
        after = position.contents if move is None else position.after(move).contents
        match shown.key:
            case "arm_moving" | "arm_waits" | "arm_setting_up" | "thinking" | "moving" | "settling":
                table.wait(3000)
            case "arm_offer":
                table.press("confirm")
            case "arm_tray":
                self._empty_tray()
                table.press("confirm")
            case "arm_stopped" | "arm_held":
                self._free()
                if self.chance.random() < 0.5:
                    self.put_right(position.contents)
                    table.wait(1500)
                    table.press("confirm")
                else:
                    self.put_right(after)
            case _:
                self._free()
                if move is not None and move.from_square == move.to_square:
                    self._go_round(move.from_square)
                self.put_right(after)

    def _go_round(self, square: int) -> None:
        """A capture that ends where it began: its piece is taken up and put down there."""
        piece = self.table.stands[square]
        self.table.touch(square, EMPTY)
        self.table.touch(square, piece)

    def _free(self) -> None:
        table = self.table
        table.shop.tool.is_stuck = False
        table.shop.free_hand()
        for servo in table.chip.servos.values() if isinstance(table.chip, ServoBus) else ():
            servo.is_overloaded = servo.is_limp = servo.is_missing = False

    def put_right(self, contents: Sequence[Piece]) -> None:
        """Have the board show these, each piece in the middle of its square, and nothing between the squares."""
        table, shop = self.table, self.table.shop
        lost = [wood for wood in shop.wood if shop.timber.is_on_board(wood.x, wood.y)]
        for wood in lost:
            cell = shop.timber.cell(wood.x, wood.y)
            if cell is None:
                shop.wood.remove(wood)
            elif dist((wood.x, wood.y), shop.timber.centre(*cell)) > CROOKED_MM:
                wood.x, wood.y = shop.timber.centre(*cell)
        shop.look_again()
        table.sense()
        for square, piece in enumerate(contents):
            if side_of(table.stands[square]) is not side_of(piece):
                table.touch(square, piece)

    def _empty_tray(self) -> None:
        spares = len([piece for piece in self.table.session.arm.settings.tray if piece is not EMPTY])
        shop = self.table.shop
        beside = [wood for wood in shop.wood if not shop.timber.is_on_board(wood.x, wood.y)]
        shop.wood = [wood for wood in shop.wood if wood not in beside[spares:]]
        shop.look_again()


def mishap(kind: str, seed: int, variant: str = "russian") -> Person:
    """One mishap in one move of the arm, and what a person had to do about it; AssertionError where it ends wrongly."""
    chance = Random(seed)
    if SETTINGS.get(kind, {}).get("machine") is servo_arm and load_ruleset(variant).columns > 8:
        variant = "russian"  # that arm does not reach every square of a larger board
    fen, move = begun(variant, chance, WANTED.get(kind, lambda reply: chance.random() < 0.2))
    table = ArmTable(variant, fen, seed=seed, **SETTINGS.get(kind, {}))
    if kind in BEFORE:
        BEFORE[kind](table, chance)
    table.carry_out(move)
    if kind in DURING:
        at_once(table, chance, partial(DURING[kind], table, chance))
    if kind == "power":
        at_once(table, chance, lambda: None)
        table = _powered_again(table, move, ArmTable(variant, fen, seed=seed, armed=False))
    person = Person(table, chance)
    table.wait(1500)
    person.finish(2)
    first, reply, *more = table.session.game.moves
    assert not more
    assert (first.effect, reply.effect) == (move.effect, table.chosen_moves[0].effect)
    assert table.sent_shut == []
    return person


def _powered_again(before: ArmTable, move: Move, table: ArmTable) -> ArmTable:
    """The station after a power cut: the game from its journal, the wood as it was left, nothing armed."""
    table.carry_out(move)
    table.wait(1500)
    held = before.shop.tool.held
    table.shop.wood = [wood for wood in before.shop.wood if wood not in held]
    table.shop.look_again()
    arm = replace(table.session.arm, tray=before.session.arm.tray)
    table.session = replace(table.session, arm=arm)
    table.sense()
    return table
