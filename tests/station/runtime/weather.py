"""Bad weather on the line between a board and its station, at random moments of games, in simulated time.

Real bytes go through a real driver; hands play on and, like people who are told that the board does not answer, wait
with the next move until it does; asked which moves were played, they say so before they go on. What a worker does with
a port that is gone is done here too: it is opened again.

    python -m tests.station.runtime.weather --driver dgt --each 100
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass, field
from random import Random

from engine.rules import rules_for
from engine.ruleset import load_ruleset
from station.events import DeviceLost
from station.phases import Paused
from station.runtime.boards import REOPEN_S, driver_class
from station.runtime.desk import Desk
from station.runtime.made_games import made_games
from station.runtime.simulate import Setup, Table, board_with, settings_for
from station.runtime.witness import MISSED_MS, Witness
from station.session import begin
from station.simulation.hands import PRESETS as HANDS
from station.simulation.turns import turn_acts
from station.texts import load_texts

PATIENCE_MS = 60_000
"""Who has waited for the board for so long gives up: the game is lost."""
LOOKS_MS = 1200
"""From the page's word that the board is back, or the answer to its question, to the next move."""
BETWEEN_MS = (15_000, 45_000)
"""From one fault to the next."""

KINDS = {
    "pulled": (300, 8000),
    "off": (500, 8000),
    "silent": (3000, 9000),
    "stalled": (3000, 3000),
    "reset": (0, 0),
    "brown-out": (500, 2500),
    "half": (0, 0),
    "flips": (5000, 15_000),
    "lost": (5000, 15_000),
    "extra": (5000, 15_000),
    "doubled": (5000, 15_000),
}
"""Kinds of faults, with how long each lasts, in ms: the cable pulled, no power, nothing comes through, everything comes
late, the firmware begins anew, it does so again and again, half a message, bytes spoilt at 1 %."""
RATE = 0.01


class Line:
    """A simulated board behind a line that can fail; a board like any other."""

    def __init__(self, board, chance: Random) -> None:
        self.board = board
        self._chance = chance
        self._kind = ""
        self._until_ms = 0
        self._held: list[bytes] = []
        self._heard: list[bytes] = []

    def __getattr__(self, name):
        return getattr(self.board, name)

    def begin(self, kind: str, now_ms: int, for_ms: int) -> None:
        self._kind, self._until_ms = kind, now_ms + for_ms
        if kind in ("reset", "brown-out"):
            self.board.power_cycle(now_ms)

    def end(self, now_ms: int) -> None:
        if self._kind in ("off", "brown-out"):
            self.board.power_cycle(now_ms)
        self._kind = ""

    def shake(self, now_ms: int) -> None:
        """A brown-out goes on: the board begins anew once more."""
        self.board.power_cycle(now_ms)

    def receive(self, data: bytes, now_ms: int) -> bytes:
        if self._kind == "stalled":
            self._heard.append(data)
            return self.tick(now_ms)
        reaches = data if self._kind not in ("pulled", "off", "silent") else b""
        return self._through(self.board.receive(self._spoilt(reaches), now_ms))

    def tick(self, now_ms: int) -> bytes:
        out = self._through(self.board.tick(now_ms))
        if self._kind != "stalled" and (self._held or self._heard):
            held, heard = b"".join(self._held), b"".join(self._heard)
            self._held, self._heard = [], []
            return held + self.board.receive(heard, now_ms) + out
        return out

    def _through(self, data: bytes) -> bytes:
        match self._kind:
            case "pulled" | "off" | "silent":
                return b""
            case "stalled":
                self._held.append(data)
                return b""
            case "half" if len(data) > 1:
                self._kind = ""
                return data[: self._chance.randrange(1, len(data))]
            case "doubled":
                return data * 2 if self._chance.random() < 10 * RATE else data
        return self._spoilt(data)

    def _spoilt(self, data: bytes) -> bytes:
        if self._kind not in ("flips", "lost", "extra"):
            return data
        out = bytearray()
        for byte in data:
            happens = self._chance.random() < RATE
            if happens and self._kind == "flips":
                out.append(byte ^ 1 << self._chance.randrange(8))
            elif not (happens and self._kind == "lost"):
                out.append(byte)
            if happens and self._kind == "extra":
                out.append(self._chance.randrange(256))
        return bytes(out)


@dataclass
class Forecast:
    """What happens to a line when, by chance; how often each kind has happened."""

    chance: Random
    kinds: tuple[str, ...]
    happened: Counter[str] = field(default_factory=Counter)
    due_ms: int | None = None

    def next_kind(self) -> str:
        return min(self.chance.sample(self.kinds, len(self.kinds)), key=lambda kind: self.happened[kind])


class Outdoors(Table):
    """A table in bad weather."""

    def __init__(self, board, driver, desk, witness, forecast: Forecast) -> None:
        self.forecast = forecast
        self._does: list[tuple[int, object]] = []
        """What happens to the line at which time."""
        super().__init__(board, driver, desk, witness)

    def plan(self) -> None:
        """From now on there are faults."""
        self._at(self.now_ms + self.forecast.chance.randint(*BETWEEN_MS), self._strike)

    def clear_up(self) -> None:
        """No new fault begins."""
        self._does = [(at_ms, act) for at_ms, act in self._does if act != self._strike]

    def _at(self, at_ms: int, act) -> None:
        self._does.append((at_ms, act))
        self._does.sort(key=lambda item: item[0])

    def _strike(self) -> None:
        chance, line = self.forecast.chance, self.board
        kind = self.forecast.next_kind()
        self.forecast.happened[kind] += 1
        lasts_ms = chance.randint(*KINDS[kind])
        line.begin(kind, self.now_ms, lasts_ms)
        back_ms = self.now_ms + lasts_ms
        if kind == "pulled":
            self._take(DeviceLost(self.now_ms, "port /dev/ttyACM0: no such device"))
            opened_ms = back_ms + chance.randint(0, round(REOPEN_S * 1000))
            self._at(opened_ms, lambda: self._take(self.driver.start(self.now_ms)))
        if kind == "brown-out":
            for _ in range(chance.randint(1, 4)):
                self._at(chance.randint(self.now_ms, back_ms), lambda: line.shake(self.now_ms))
        if kind != "half":
            self._at(back_ms, lambda: line.end(self.now_ms))
        self._at(back_ms + chance.randint(*BETWEEN_MS), self._strike)

    def _due_ms(self) -> int | None:
        due = super()._due_ms()
        mine = self._does[0][0] if self._does else None
        return min((moment for moment in (due, mine) if moment is not None), default=None)

    def _happen(self) -> None:
        while self._does and self._does[0][0] <= self.now_ms:
            _, act = self._does.pop(0)
            act()
        super()._happen()

    @property
    def is_waiting(self) -> bool:
        """Whether the page says that the board does not answer, or asks which moves were played."""
        return isinstance(self.desk.session.phase, Paused) or "which" in self.desk.session.told

    def until_answered(self) -> bool:
        """Whether the game may go on, after a while of waiting if need be, and a look at the page."""
        give_up_ms = self.now_ms + PATIENCE_MS
        while self.is_waiting and self.now_ms < give_up_ms:
            self.advance(self.now_ms + 100)
            if not self.is_waiting:
                self.advance(self.now_ms + LOOKS_MS)
        return not self.is_waiting


@dataclass(frozen=True)
class Outcome:
    """How a game went."""

    plies: int
    is_right: bool
    story: str


def play(
    game, driver_name: str, seed: int, kinds=tuple(KINDS), *, colour: bool = True, happened=None, dead_squares: int = 0
) -> Outcome:
    """One game in bad weather; so many squares are dead from the first move on."""
    chance = Random(seed)
    setup = Setup(driver=driver_name, colour=colour)
    board = Line(board_with(game.start, game.ruleset, setup, seed, 500), chance)
    settings = settings_for(game.ruleset, setup, game.start)
    desk = Desk(begin(settings, load_texts("en"), f"seed-{seed}"))
    rules = rules_for(game.ruleset)
    driver = driver_class(driver_name)(game.ruleset.geometry, rules.start().contents)
    forecast = Forecast(Random(seed + 1), tuple(kinds))
    table = Outdoors(board, driver, desk, Witness(game.moves), forecast)
    table.until_ready()
    table.plan()
    for cell in chance.sample(game.ruleset.geometry.cells, dead_squares):
        board.break_sensor(cell)
    _play_on(table, game, rules, Random(seed + 2))
    table.clear_up()
    table.advance(table.now_ms + 12_000 + MISSED_MS)
    table.until_answered()
    table.advance(table.now_ms + 2 * MISSED_MS)
    report = table.witness.report()
    record = desk.session.game
    if happened is not None:
        happened.update(forecast.happened)
    story = f"seed {seed}, {record.ply} of {len(game.moves)} plies, {type(desk.session.phase).__name__}"
    return Outcome(report.moves, report.equal, story)


def _play_on(table: Outdoors, game, rules, chance: Random) -> None:
    position, world = rules.opened(game.start), game.start.contents
    person, last_ms = HANDS["calm"], table.now_ms
    for move in game.moves:
        begins_ms = last_ms + person.thinking.draw(chance)
        table.advance(begins_ms)
        if table.is_waiting:
            if not table.until_answered():
                return
            begins_ms = table.now_ms + 1
        for act in turn_acts(position, move, rules, world, person, chance, begins_ms):
            table.witness.begins(act)
            for touch in act.touches:
                table.touch(touch)
            world, last_ms = act.world, act.last_contact_ms
        position = position.after(move)


def run(driver_name, variant, each, seed, kinds=tuple(KINDS), *, colour=True, tell=None, dead_squares=0, first=0):
    """Games until every kind of fault has happened so often: the outcomes, and how often each happened."""
    happened: Counter[str] = Counter()
    outcomes = []
    for number, game in enumerate(made_games(load_ruleset(variant), seed)):
        if number < first:
            continue
        outcomes.append(
            play(
                game,
                driver_name,
                seed * 1000 + number,
                kinds,
                colour=colour,
                happened=happened,
                dead_squares=dead_squares,
            )
        )
        if tell is not None:
            tell(outcomes[-1], happened)
        if min((happened[kind] for kind in kinds), default=0) >= each:
            return outcomes, happened
    raise AssertionError("games never end")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--driver", default="matrix")
    parser.add_argument("--variant", default="russian")
    parser.add_argument("--each", type=int, default=100, help="how often each kind of fault happens, at least")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the game to begin with, from 0")
    parser.add_argument("--kinds", nargs="*", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--occupancy", action="store_true", help="a board that only tells that something stands there")
    options = parser.parse_args()

    def tell(outcome: Outcome, happened) -> None:
        if not outcome.is_right:
            sys.stdout.write(f"wrong record: {outcome.story}; each {min(happened[kind] for kind in KINDS)} so far\n")
            sys.stdout.flush()

    outcomes, happened = run(
        options.driver,
        options.variant,
        options.each,
        options.seed,
        tuple(options.kinds),
        colour=not options.occupancy,
        tell=tell,
        first=options.first,
    )
    right = sum(outcome.is_right for outcome in outcomes)
    plies = sum(outcome.plies for outcome in outcomes)
    counted = ", ".join(f"{kind} {count}" for kind, count in sorted(happened.items()))
    sys.stdout.write(
        f"{options.driver}: {right} of {len(outcomes)} games with the right record, {plies} moves; {counted}\n"
    )
    sys.exit(right != len(outcomes))


if __name__ == "__main__":
    main()
