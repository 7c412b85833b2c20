"""What a new game is to be played with: the settings that a request asks for, checked key by key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engine.errors import NotationError, RulesetError
from engine.position import Side
from engine.problem_sets import count, problem
from engine.ruleset import variant_names
from station.clock import control_text, read_control
from station.openings import checked_ballot, start_position
from station.settings import MOST_NAME, PERSON, PROBLEM, Settings, without_problem

PLAYER_EXPECTED = "person, person:NAME, engine:1 to engine:10 or hub:COMMAND"
CLOCK_EXPECTED = (
    "minutes, 5+3 (seconds added a move), 5d3 (seconds given back a move), 5b3x30 (three times 30 seconds a move after "
    "the five minutes), or nothing for no clock"
)


def wanted_settings(settings: Settings, arguments: Mapping[str, str | int | bool]) -> Settings | str:
    """The settings of the game asked for, or why there can be none: key, value and what was expected."""
    settings = without_problem(settings)
    variant = arguments.get("variant", settings.ruleset.name)
    ruleset = settings.ruleset_named(str(variant))
    if ruleset is None:
        known = (*(known.name for known in settings.rulesets), *variant_names())
        return f"variant = {variant!r}: expected one of {', '.join(dict.fromkeys(known))}"
    if ruleset.geometry.cells != settings.ruleset.geometry.cells:
        return f"variant = {variant!r}: this board has {len(settings.ruleset.geometry)} squares"
    if "problem" in arguments:
        return _solving(replace(settings, ruleset=ruleset), arguments)
    players = {side: str(arguments.get(side, getattr(settings, side))) for side in ("white", "black")}
    for side, player in players.items():
        if not is_player(player):
            return f"{side} = {player!r}: expected {PLAYER_EXPECTED}"
    clock = arguments.get("clock", control_text(settings.clock))
    if clock != "" and read_control(str(clock)) is None:
        return f"clock = {clock!r}: expected {CLOCK_EXPECTED}"
    same = ruleset.name == settings.ruleset.name
    start_fen = str(arguments.get("start_fen", settings.start_fen if same and not arguments.get("ballot") else ""))
    ballot = str(arguments.get("ballot", settings.ballot if same and not start_fen else ""))
    if start_fen and ballot:
        return f"ballot = {ballot!r}: found start_fen too, expected one of them"
    try:
        start_position(ruleset, start_fen)
    except (NotationError, RulesetError) as error:
        return f"start_fen: {error}"
    try:
        if ballot:
            checked_ballot(ballot, ruleset)
    except NotationError as error:
        return str(error)
    return replace(
        settings,
        ruleset=ruleset,
        white=players["white"],
        black=players["black"],
        clock=read_control(str(clock)),
        start_fen=start_fen,
        ballot=ballot,
    )


def _solving(settings: Settings, arguments: Mapping[str, str | int | bool]) -> Settings | str:
    """A problem by its number, from 1 on."""
    others = next((key for key in arguments if key not in ("problem", "variant")), None)
    if others is not None:
        return f"{others}: expected problem and variant alone"
    number, known = arguments["problem"], count(settings.ruleset.name)
    if type(number) is not int or not 1 <= number <= known:
        return f"problem = {number!r}: expected 1 to {known}" if known else f"{settings.ruleset.name}: has no problems"
    found = problem(settings.ruleset.name, number)
    line = f"{PROBLEM}{number}"
    white, black = (PERSON, line) if found.solver is Side.WHITE else (line, PERSON)
    return replace(settings, white=white, black=black, start_fen=found.fen, ballot="")


def is_player(text: str) -> bool:
    """Whether a text names a player: `person`, `person:NAME`, `engine:1` to `engine:10`, `hub:COMMAND`."""
    kind, has_more, rest = text.partition(":")
    if kind == "engine":
        return rest.isdecimal() and 1 <= int(rest) <= 10
    if kind == PERSON:
        return not has_more or (rest.isprintable() and rest == rest.strip() and 0 < len(rest) <= MOST_NAME)
    return kind == "hub" and bool(rest.strip())
