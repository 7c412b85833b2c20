"""The journal: what happened and what was asked for, one JSON line each; reading it back; a game to go on with.

A header line states format, program, board, rule set and wall clock at 0 ms. Readers skip keys they do not know and a
torn last line: power goes at clubs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from engine.errors import IllegalMoveError
from engine.fen import read_fen, write_fen
from engine.game import Game, new_game
from engine.geometry import Square
from engine.notation import read_square
from engine.position import Move, Piece
from engine.ruleset import Ruleset, load_ruleset
from engine.view import BoardView, Evidence, evidence_for, possible_by
from station import events
from station.clock import Clocks, TimeControl, after_taking_back, control_text, fresh, read_control
from station.effects import Effect, Handle
from station.errors import JournalError
from station.settings import Settings

FORMAT = 1

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUV"
"""One digit a square: which of the five contents a hard sensor does not rule out, as a number of five bits."""

_EVENTS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        events.BoardSeen,
        events.Pressed,
        events.Requested,
        events.PlayerChose,
        events.PlayerFailed,
        events.DeviceLost,
        events.DeviceBack,
        events.BatteryTold,
        events.ClockTold,
        events.StopTold,
        events.HandSeen,
        events.ArmFound,
        events.ArmLost,
        events.ArmDone,
        events.ArmFailed,
        events.TimePassed,
    )
}


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a journal."""

    journal: int
    program: str
    boot: str
    at: str
    """Wall clock at 0 ms, UTC, ISO 8601."""
    settings: Settings
    language: str
    resumed: Mapping[str, Any] | None = None
    """The game that was gone on with."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a journal after its header: an event, or an effect as plain data."""

    event: events.Event | None = None
    effect: Mapping[str, Any] | None = None


def encode_header(header: Header) -> bytes:
    """The first line of a journal."""
    return _encode(_plain(header))


def encode_event(event: events.Event) -> bytes:
    """One line for an event."""
    record: dict[str, Any] = {"event": type(event).__name__}
    if isinstance(event, events.BoardSeen):
        return _encode({**record, "at_ms": event.at_ms, **encode_view(event.view)})
    return _encode({**record, **_plain(event)})


def encode_effect(effect: Effect) -> bytes:
    """One line for an effect. A game to choose in is told by its number of moves."""
    record: dict[str, Any] = {"effect": type(effect).__name__}
    if isinstance(effect, Handle):
        acts = [{"act": type(act).__name__, **_plain(act)} for act in effect.acts]
        return _encode({**record, "job": effect.job, "acts": acts, "attempt": effect.attempt})
    for name in effect.__struct_fields__:
        value = getattr(effect, name)
        if name == "clock" and value is None:
            continue  # nobody's time is kept
        record[name] = {"ply": value.ply} if isinstance(value, Game) else _plain(value)
    return _encode(record)


def as_read(effect: Effect) -> Mapping[str, Any]:
    """An effect as a reader of the journal finds it: what a replay compares."""
    record: dict[str, Any] = msgspec.json.decode(encode_effect(effect))
    return record


def encode_view(view: BoardView) -> dict[str, Any]:
    """A view as plain data: a digit a square for a hard sensor, else the likelihoods."""
    if view.is_hard:
        seen: Any = "".join(_DIGITS[possible_by(evidence)] for evidence in view.seen)
    else:
        seen = view.seen
    return {
        "seen": seen,
        **({"stray": view.stray} if view.stray else {}),
        **({} if view.firm else {"firm": False}),
        **({"weak": view.weak} if view.weak else {}),
    }


def decode_view(record: Mapping[str, Any]) -> BoardView:
    """The view that plain data states."""
    seen = record["seen"]
    stray = tuple((int(column), int(row)) for column, row in record.get("stray", ()))
    if isinstance(seen, str):
        evidence = tuple(evidence_for(Piece(_DIGITS.index(digit))) for digit in seen)
    else:
        evidence = msgspec.convert(seen, tuple[Evidence, ...])
    return BoardView(evidence, stray, bool(record.get("firm", True)), tuple(map(int, record.get("weak", ()))))


def read_journal(text: bytes, name: str = "journal") -> tuple[Header, tuple[Line, ...]]:
    """Header and lines of a journal; a torn last line is left out, any other fault is a JournalError with its line."""
    lines = text.split(b"\n")
    complete = lines[:-1]
    if not complete:
        raise JournalError(f"{name}: line 1: found nothing, expected a journal's header")
    header = _read_header(complete[0], name)
    return header, tuple(_read_line(line, number, name) for number, line in enumerate(complete[1:], 2))


def salvage(text: bytes, name: str = "journal") -> tuple[Header, tuple[Line, ...], tuple[str, ...]]:
    """Header, readable lines, and what is wrong with the others; JournalError when there is no header."""
    complete = text.split(b"\n")[:-1]
    header = _read_header(complete[0] if complete else b"", name)
    lines, faults = [], []
    for number, line in enumerate(complete[1:], 2):
        try:
            lines.append(_read_line(line, number, name))
        except JournalError as error:
            faults.append(str(error))
    return header, tuple(lines), tuple(faults)


def _read_header(line: bytes, name: str) -> Header:
    try:
        record = msgspec.json.decode(line)
        if record.get("journal") != FORMAT:
            raise JournalError(f"{name}: line 1: journal = {record.get('journal')!r}, expected {FORMAT}")
        return msgspec.convert(record, Header, dec_hook=_decode_hook)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, AttributeError) as error:
        raise JournalError(f"{name}: line 1: no header of a journal: {error}") from error


def _read_line(line: bytes, number: int, name: str) -> Line:
    try:
        record = msgspec.json.decode(line)
        if "effect" in record:
            return Line(effect=record)
        kind = _EVENTS[record.pop("event")]
        if kind is events.BoardSeen:
            return Line(event=events.BoardSeen(record["at_ms"], decode_view(record)))
        return Line(event=msgspec.convert(record, kind))
    except (msgspec.MsgspecError, KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise JournalError(f"{name}: line {number}: no event or effect: {error!r}") from error


def _encode(record: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode(record) + b"\n"


def _plain(value: Any) -> Any:
    return msgspec.to_builtins(value, enc_hook=_encode_hook)


def _encode_hook(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise NotImplementedError(type(value))


def _decode_hook(kind: type[Any], value: Any) -> Any:
    raise NotImplementedError(kind)


# --- going on with a game -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Resumed:
    """A game to go on with: its record, announcements made in it so far, its identity, its players."""

    game: Game
    seq: int
    game_id: str
    white: str
    black: str
    over: bool = False
    drawn_plies: int = 0
    """How many of its moves were drawn."""
    opening: str = ""
    """Table and label of what was drawn."""
    clock: TimeControl | None = None
    clocks: Clocks | None = None
    """As the last announcement left them: what was used since is given back."""
    tray: tuple[str, ...] = ()
    """What lies in the arm's tray, as it was announced last; empty for none."""


def plain_resumed(resumed: Resumed) -> dict[str, Any]:
    """A game to go on with, as a header keeps it."""
    game = resumed.game
    return {
        "game": resumed.game_id,
        "seq": resumed.seq,
        "variant": game.ruleset.name,
        # The whole rule set: the file of a house rule may have been changed since the game began.
        "ruleset": _plain(game.ruleset),
        "start": write_fen(game.start, game.ruleset),
        "moves": _plain(game.moves),
        "white": resumed.white,
        "black": resumed.black,
        "over": resumed.over,
        "drawn_plies": resumed.drawn_plies,
        "opening": resumed.opening,
        **({"tray": resumed.tray} if resumed.tray else {}),
        **({"clock": control_text(resumed.clock), "clocks": _plain(resumed.clocks)} if resumed.clocks else {}),
    }


def _read_resumed(record: Mapping[str, Any], ruleset: Ruleset) -> Resumed:
    game = new_game(ruleset, read_fen(record["start"], ruleset))
    for move in msgspec.convert(record["moves"], tuple[Move, ...]):
        game = game.play(move)
    return Resumed(
        game,
        record["seq"],
        record["game"],
        record["white"],
        record["black"],
        record["over"],
        record.get("drawn_plies", 0),
        record.get("opening", ""),
        read_control(record.get("clock", "")),
        msgspec.convert(record.get("clocks"), Clocks | None),
        tuple(record.get("tray", ())),
    )


def resumed_in(header: Header) -> Resumed | None:
    """The game that a journal begins in the middle of."""
    if not header.resumed:
        return None
    return _read_resumed(header.resumed, _ruleset_of_resumed(header.resumed, header))


def unfinished_game(header: Header, lines: Iterable[Line]) -> Resumed | None:
    """The game as the last announcement left it; None when none is under way.

    An announcement that does not follow from those before it, because lines between them are lost, ends the game there.
    """
    found = resumed_in(header)
    for announcement in announcements(lines):
        try:
            found = _after_announcement(found, announcement, header)
        except (ValueError, KeyError, TypeError):
            break
    return None if found is None or found.over else found


def _ruleset_of_resumed(record: Mapping[str, Any], header: Header) -> Ruleset:
    if "ruleset" in record:
        return msgspec.convert(record["ruleset"], Ruleset, dec_hook=_decode_hook)
    return header.settings.ruleset_named(record["variant"]) or load_ruleset(record["variant"])


def _ruleset_named(name: str, header: Header) -> Ruleset:
    """The rule set of a name that a session took when a game began: JournalError when there is no such rule set."""
    found = header.settings.ruleset_named(name)
    if found is None and header.resumed and header.resumed["variant"] == name:
        return _ruleset_of_resumed(header.resumed, header)
    if found is None:
        raise JournalError(f"variant = {name!r}: found in no header, expected a rule set that is known")
    return found


def announcements(lines: Iterable[Line]) -> Iterator[Mapping[str, Any]]:
    """The announcements among a journal's lines, in order."""
    for line in lines:
        if line.effect is not None and line.effect.get("effect") == "Announce":
            yield line.effect


def _after_announcement(found: Resumed | None, announcement: Mapping[str, Any], header: Header) -> Resumed | None:
    what, seq, game_id = announcement["what"], announcement["seq"], announcement["game"]
    if what["type"] == "game_started":
        ruleset = _ruleset_named(what["variant"], header)
        game = new_game(ruleset, read_fen(what["fen"], ruleset))
        clock = read_control(what.get("clock", ""))
        return Resumed(
            *(game, seq, game_id, what["white"], what["black"]),
            opening=what.get("opening", ""),
            clock=clock,
            clocks=fresh(clock),
        )
    if found is None or found.game_id != game_id:
        return found
    if seq != found.seq + 1:
        raise JournalError(f"announcement {seq} of game {game_id}: expected {found.seq + 1}")
    if what["type"] == "players":
        found = replace(found, white=what["white"], black=what["black"])
    over = what["type"] == "game_over" or (found.over and what["type"] not in ("taken_back", "revised"))
    drawn_plies = found.drawn_plies + (what["type"] == "move" and what["by"] == "drawn")
    return replace(
        found,
        game=_game_after(found.game, what),
        seq=seq,
        over=over,
        drawn_plies=drawn_plies,
        tray=tuple(what["tray"]) if what["type"] == "arm_step" else found.tray,
        clocks=_clocks_after(found.clocks, what),
    )


def _clocks_after(clocks: Clocks | None, what: Mapping[str, Any]) -> Clocks | None:
    """The clocks after an announcement: at rest, as it told them."""
    if clocks is None:
        return None
    if what["type"] == "taken_back":
        return after_taking_back(clocks, what["plies"])
    if not what.get("clocks_ms"):
        return clocks
    left = (what["clocks_ms"]["white"], what["clocks_ms"]["black"])
    kept = clocks.turns[:-1] if what["type"] == "revised" else clocks.turns
    return Clocks(left, turns=(*kept, left), begun=True)


def _game_after(game: Game, what: Mapping[str, Any]) -> Game:
    match what["type"]:
        case "move":
            return game.play(_move_among(game, what))
        case "revised":
            before = game.back(1)
            return before.play(_move_among(before, what["new"]))
        case "taken_back":
            return game.back(what["plies"])
    return game


def _move_among(game: Game, written: Mapping[str, Any]) -> Move:
    """The legal move that an announcement wrote; IllegalMoveError when there is none."""
    ruleset = game.ruleset

    def square(name: str) -> Square:
        return read_square(name, ruleset)

    ends = (square(written["from"]), square(written["to"]))
    captured = tuple(square(name) for name in written["captured"])
    huffed = tuple(square(name) for name in written.get("huffed", ()))
    effect = (*ends, tuple(sorted(captured + huffed)), written["promotes"])
    if all(move.effect != effect for move in game.legal_moves):
        raise IllegalMoveError(f"{written['text']} is not legal at ply {game.ply + 1} of the journal")
    return Move(ends[0], tuple(square(name) for name in written["path"]), captured, written["promotes"], huffed)
