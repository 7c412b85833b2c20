"""Who plays in a match: a Hub engine's process, or another program over DamExchange."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from engine import hub
from engine.game import Game
from engine.position import Side
from engine.ruleset import Ruleset
from station.errors import ConfigError
from station.runtime import dxp_player
from station.runtime.dxp_player import DxpPlayer
from station.runtime.hub_process import ANSWER_S, Answer, HubProcess, own_command
from station.runtime.player_errors import EndedError, PlayerError, UnfitError

BEGIN_S = 30.0
"""How long an engine may take to say that it is ready."""

OWN = "dambord"
STRONGEST = "10"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a move may cost; every limit named holds. `margin_s` is what a move may come late.

    `minutes` is each side's time for a whole game against a program over DamExchange.
    """

    seconds: float | None = None
    nodes: int | None = None
    depth: int | None = None
    margin_s: float = 1.0
    minutes: int = 1

    @property
    def level(self) -> hub.Level:
        """The limits as Hub states them."""
        move_time_ms = None if self.seconds is None else max(1, round(1000 * self.seconds))
        return hub.Level(depth=self.depth, nodes=self.nodes, move_time_ms=move_time_ms)

    @property
    def answer_s(self) -> float:
        """After how long an engine that has not moved has lost."""
        return ANSWER_S if self.seconds is None else self.seconds + self.margin_s


class Contender(Protocol):
    """A player of a match, ready for one game at a time."""

    name: str

    def new_game(self, game: Game, side: Side) -> None:
        """Be told of a game; PlayerError when it cannot be played."""
        ...

    def choose(self, game: Game) -> Answer:
        """Make a move; PlayerError when none comes that is legal and in time, GivenUpError when the game is left."""
        ...

    def finish(self, game: Game, winner: Side | None, last: bool) -> None:
        """Be told that the game is over, and whether it was the last."""
        ...

    def drop(self) -> None:
        """End what runs; the next game begins anew."""
        ...

    def close(self) -> None:
        """End for good."""
        ...


@dataclass(slots=True)
class HubContender:
    """A Hub engine's process, started for its first game and again after it failed; one thread, if it can be told."""

    command: list[str]
    ruleset: Ruleset
    limits: Limits
    wanted: Mapping[str, str] = field(default_factory=dict)
    usual: Mapping[str, str] = field(default_factory=dict)
    name: str = ""
    _process: HubProcess | None = None
    _closed: bool = False

    def new_game(self, game: Game, side: Side) -> None:
        """Start the engine if it does not run; UnfitError when it cannot be started or does not play these rules."""
        del game, side
        if self._process is not None:
            try:
                self._process.new_game()
            except PlayerError:
                self.drop()
        if self._process is None:
            self._process = self._started()
            self.name = self._process.name or self.name

    def _started(self) -> HubProcess:
        process: HubProcess | None = None
        try:
            process = HubProcess(self.command, self.ruleset)
            process.answer_s = BEGIN_S
            process.set_up(self.wanted, {"threads": "1", **self.usual})
            process.new_game()
        except PlayerError as error:
            if process is not None:
                process.close()
            raise UnfitError(f"{shlex.join(self.command)}: {error}") from error
        process.answer_s = self.limits.answer_s
        return process

    def choose(self, game: Game) -> Answer:
        """The engine's move within the limits."""
        process = self._process
        if process is None or self._closed:
            raise EndedError("the engine has ended")
        return process.ask(game, self.limits.level)

    def finish(self, game: Game, winner: Side | None, last: bool) -> None:
        """Hub tells an engine nothing of results."""

    def drop(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.close()

    def close(self) -> None:
        """End the process, and do not play on with one that is just being started."""
        self._closed = True
        self.drop()


def contender(command: str, ruleset: Ruleset, limits: Limits, settings: Mapping[str, str] | None = None) -> Contender:
    """The player that a text names; ConfigError when it names none.

    `dambord` is our own engine at its strongest, `engine:LEVEL` at a level; `dxp:...` another program over DamExchange;
    anything else the command line of a Hub engine, with or without `hub:` before it. `settings` are its parameters.
    """
    wanted = dict(settings or {})
    if command.startswith(dxp_player.PREFIX):
        if wanted:
            raise ConfigError(f"{command}: found parameters ({', '.join(wanted)}), DamExchange has none")
        return DxpPlayer(dxp_player.read_address(command), ruleset, limits.minutes, limits.margin_s)
    own, _, level = command.partition(":")
    if command == OWN or own == "engine":
        if command != OWN and level not in map(str, range(1, int(STRONGEST) + 1)):
            raise ConfigError(f"{command}: expected engine:1 to engine:{STRONGEST}")
        usual = {"level": STRONGEST if command == OWN else level}
        return HubContender(own_command(), ruleset, limits, wanted, usual, OWN)
    try:
        words = shlex.split(command.removeprefix("hub:"))
    except ValueError as error:
        raise ConfigError(f"{command}: {error}") from error
    if not words:
        raise ConfigError(f"{command!r}: expected an engine's command line, {OWN}, engine:LEVEL or dxp:HOST:PORT")
    return HubContender(words, ruleset, limits, wanted, name=words[0].rpartition("/")[2])
