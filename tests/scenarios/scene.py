"""People at one board: hands in a few words, real bytes, simulated time.

A scene is a simulated board (`firmware_bridge/simulator`), its real driver and a desk, joined by the bytes they
exchange. The scene itself decides nothing: it moves pieces, lets time pass, and tells what was heard, lit and recorded.

    scene = sit("russian", board="colour", black="engine:3")
    scene.move("c3-d4")
    scene.expect("c3-d4")
    scene.answer("f6-g5")
    assert scene.lamps == {"f6": "lift", "g5": "place"}
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from pathlib import Path

from engine.fen import read_fen
from engine.notation import read_move, read_square, square_name
from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN, Move, Piece
from engine.rules import rules_for
from engine.ruleset import Ruleset, load_ruleset
from firmware_bridge.driver import Cues, Output
from firmware_bridge.simulator import NONE, Faults, MatrixBoard, device_for
from station.announcements import BoardDiffers, GameOver, GameStarted, Illegal, Moved, Prompted, Revised, TakenBack
from station.effects import Announce, Answer, Choose, Effect, Show, StopChoosing
from station.events import DeviceLost, Event, PlayerChose, PlayerFailed, Requested, TimePassed
from station.guidance import Guidance, guide
from station.journal import FORMAT, Header, as_read, plain_resumed, read_journal, unfinished_game
from station.phases import Answering, name_of
from station.runtime.boards import driver_class
from station.runtime.desk import Desk, JournalFile, events_of
from station.session import begin, deadline_ms, step
from station.settings import Settings
from station.texts import load_texts

BOARDS = ("occupancy", "colour", "dgt")
"""What stands on the table: our matrix without and with colour, and a DGT-compatible board, which is slow and has no
lamps but knows kings."""

KINGS = {"K": WHITE_KING, "k": BLACK_KING, "M": WHITE_MAN, "m": BLACK_MAN}

READY_MS = 10_000
"""A board that is not ready to play after this time never will be."""

LIGHTING_MS = 50
"""How long it takes until a board has lit what it was told to light."""


class Scene:
    """Hands, a board and a clock. Each touch comes `pace_ms` after the one before; times are ms since the start."""

    def __init__(
        self,
        variant: str = "russian",
        fen: str = "",
        *,
        board: str = "occupancy",
        journals: Path,
        pace_ms: int = 250,
        seed: int = 0,
        faults: Faults = NONE,
        rotated: bool = False,
        quarters: int = 0,
        turned: int | None = None,
        ready: bool = True,
        bare: bool = False,
        **settings: object,
    ) -> None:
        self.ruleset: Ruleset = load_ruleset(variant) if isinstance(variant, str) else variant
        self.settings = Settings("table", self.ruleset, start_fen=fen, **settings)
        self.kind, self.pace_ms, self.now = board, pace_ms, 0
        self.board = device_for(
            "dgt" if board == "dgt" else "matrix",
            self.ruleset.columns,
            self.ruleset.rows,
            seed=seed,
            faults=faults,
            colour=board == "colour",
            rotated=rotated,
            quarters=quarters,
        )
        self.driver = driver_class("dgt" if board == "dgt" else "matrix")(
            self.ruleset.geometry, rules_for(self.ruleset).start().contents, turned=turned
        )
        self.in_hand: list[Piece] = []
        self.aside: list[Piece] = []
        self.happened: list[Event | Effect] = []
        """Every event of the session and every effect, in order."""
        self.is_plugged = True
        self.unlit: Cues | None = None
        """What was to be lit while the cable was out."""
        self._journals, self._starts = journals, 0
        self._happening: deque[Output | Event] = deque()
        self._sit_down(None)
        if not bare:
            for square, piece in enumerate(self.desk.session.game.position.contents):
                self.board.put(self._cell(square), piece, 0)
        self._take(self.driver.start(0))
        if ready:
            self.until(lambda: self.phase not in ("SettingUp", "Paused"), READY_MS)
            self.wait(500)
            self.happened.clear()

    # --- time and bytes

    def wait(self, duration_ms: int) -> None:
        """Let time pass: everything happens that is due until then."""
        until = self.now + duration_ms
        while (due := self._due()) is not None and due <= until:
            self.now = max(self.now, due)
            self._happen()
        self.now = until

    def until(self, found, at_most_ms: int = 5000) -> int:
        """Let time pass until something is so; how long that took. AssertionError when it does not come about."""
        began = self.now
        while not found():
            assert self.now - began < at_most_ms, (self.phase, self.record, self.story, self.guidance)
            due = self._due()
            self.wait(10 if due is None else min(10, max(1, due - self.now)))
        return self.now - began

    def _due(self) -> int | None:
        wired = (self.driver.deadline_ms(),) if self.is_plugged else ()
        due = (self.board.deadline_ms(), *wired, deadline_ms(self.session))
        moments = [moment for moment in due if moment is not None]
        return min(moments, default=None)

    def _happen(self) -> None:
        # Without a cable a board goes on scanning; nobody hears it.
        said = self.board.tick(self.now) if _is_due(self.board.deadline_ms(), self.now) else b""
        if said and self.is_plugged:
            self._take(self.driver.receive(said, self.now))
        if self.is_plugged and _is_due(self.driver.deadline_ms(), self.now):
            self._take(self.driver.tick(self.now))
        if _is_due(deadline_ms(self.session), self.now):
            self._take(TimePassed(self.now))

    def _take(self, first: Output | Event) -> list[Effect]:
        """Carry an output or an event through driver, session and board until nothing more comes of it."""
        waiting: deque[Output | Event] = deque([first])
        came: list[Effect] = []
        while waiting:
            item = waiting.popleft()
            if isinstance(item, Output):
                waiting.extend(events_of(item, self.driver, self.now))
                if item.send and self.is_plugged and (data := self.board.receive(item.send, self.now)):
                    waiting.append(self.driver.receive(data, self.now))
                continue
            effects = self.desk.handle(item)
            came += effects
            self.happened += [item, *effects]
            cues = [effect.cues for effect in effects if isinstance(effect, Show)]
            if self.is_plugged:
                waiting += [self.driver.show(lit, self.now) for lit in cues]
            elif cues:
                self.unlit = cues[-1]
        return came

    # --- cable and power

    def unplug(self) -> None:
        """The cable comes out: the port says so at once."""
        self.is_plugged = False
        self._take(DeviceLost(self.now, "unplugged"))

    def plug_in(self) -> None:
        """The cable is back: the driver begins a new conversation."""
        if self.unlit is not None:
            self.driver.show(self.unlit, self.now)  # kept by the driver until the board answers
        self.is_plugged, self.unlit = True, None
        self._take(self.driver.start(self.now))

    def restart_station(self, ready: bool = True) -> None:
        """The station's power goes and comes back: its journal is all that is left."""
        self.desk.journal.close()
        text = self.desk.journal.path.read_bytes()
        self._sit_down(unfinished_game(*read_journal(text)))
        self.plug_in()
        if ready:
            self.until(lambda: self.phase != "Paused", READY_MS)

    def _sit_down(self, resumed) -> None:
        self._starts += 1
        boot = f"boot-{self._starts}"
        before = plain_resumed(resumed) if resumed else None
        header = Header(FORMAT, "scene", boot, "1970-01-01T00:00:00.000Z", self.settings, "en", before)
        journal = JournalFile(self._journals / f"{id(self)}-{boot}.jsonl", header, durable=False)
        self.begun = begin(self.settings, load_texts("en"), boot, resumed)
        self.desk = Desk(self.begun, journal)

    # --- hands

    def lift(self, *names: str) -> None:
        """Take pieces into the hand."""
        for name in names:
            self._pause()
            self.in_hand.append(self._touch(name, EMPTY))

    def put(self, name: str, piece: str = "") -> None:
        """Put down what was lifted last, or a piece from beside the board: M, K for white, m, k for black."""
        self._pause()
        self._touch(name, KINGS[piece] if piece else self.in_hand.pop())

    def remove(self, *names: str) -> None:
        """Take pieces off and lay them beside the board."""
        for name in names:
            self._pause()
            self.aside.append(self._touch(name, EMPTY))

    def put_back(self, name: str) -> None:
        """Put back the piece that was laid aside last."""
        self._pause()
        self._touch(name, self.aside.pop())

    def slide(self, *names: str, rest_ms: int = 100) -> None:
        """Push a piece along, from the first square named; it stands on each for a moment."""
        start, *way = names
        self._pause()
        piece = self._touch(start, EMPTY)
        for number, name in enumerate(way):
            if number:
                self.wait(rest_ms)
                self._touch(way[number - 1], EMPTY)
            self.wait(20)
            self._touch(name, piece)

    def flicker(self, name: str, times: int, off_ms: int = 120, on_ms: int = 200) -> None:
        """The magnet of a piece that stands still is lost and found again."""
        for _ in range(times):
            piece = self._touch(name, EMPTY)
            self.wait(off_ms)
            self._touch(name, piece)
            self.wait(on_ms)

    def move(self, text: str, crown: bool = False) -> Move:
        """A legal move by hand, at once: the mover over its landing squares, then the captured pieces."""
        made = self.legal(text)
        self.carry_out(made, crown)
        return made

    def carry_out(self, move: Move, crown: bool = False) -> None:
        """A move by hand, whoever's turn it is."""
        names = [square_name(square, self.ruleset) for square in (move.from_square, *move.path)]
        self.lift(names[0])
        for name in names[1:-1]:
            self.put(name)
            self.lift(name)
        if crown:
            self.in_hand[-1] = WHITE_KING if self.in_hand[-1] & (WHITE_MAN | WHITE_KING) else BLACK_KING
        self.put(names[-1])
        self.remove(*(square_name(square, self.ruleset) for square in move.captured))

    def play(self, *texts: str) -> None:
        """Moves by hand, each until it is in the record."""
        for text in texts:
            ply = self.session.game.ply
            self.move(text)
            self.until(lambda ply=ply: self.session.game.ply > ply)

    def stand(self, fen: str) -> None:
        """All at once, another position stands on the board."""
        self._pause()
        for square, piece in enumerate(read_fen(fen, self.ruleset).contents):
            if self.board.contents(self._cell(square)) is not piece:
                self.board.put(self._cell(square), piece, self.now)

    def press(self, button: str) -> None:
        """Press a button of the board: confirm, take_back, new_game, clock_white, clock_black."""
        self._pause()
        self.board.press(button, self.now)

    def hold(self, button: str, for_ms: int) -> None:
        """Press a button of the board and keep it down, then let go."""
        self._pause()
        self.board.hold(button, for_ms, self.now)
        self.wait(for_ms + 100)

    def ask(self, name: str, **arguments: str | int | bool) -> str | None:
        """Ask for something on the page; why it was refused, None when it was carried out."""
        effects = self._take(Requested(self.now, "page", name, arguments))
        (answer,) = [effect for effect in effects if isinstance(effect, Answer)]
        return answer.error

    def answer(self, text: str, request: int | None = None) -> None:
        """The engine says its move, to the latest question or to an older one; time passes until the lamps show it."""
        chosen = self.session.request if request is None else request
        self._take(PlayerChose(self.now, chosen, self.legal(text)))
        if isinstance(self.session.phase, Answering):
            self.wait(max(0, self.session.phase.shown_ms - self.now) + LIGHTING_MS)

    def player_fails(self, reason: str) -> None:
        """The engine cannot answer the latest question."""
        self._take(PlayerFailed(self.now, self.session.request, reason))

    def legal(self, text: str) -> Move:
        """The legal move of the game's position that a text means."""
        game = self.session.game
        ways = [way for ways in game.rules.ways(game.position).values() for way in ways]
        return read_move(text, game.position, ways, self.ruleset)

    def _pause(self) -> None:
        self.wait(self.pace_ms)

    def _touch(self, name: str, piece: Piece) -> Piece:
        cell = self._cell(read_square(name, self.ruleset))
        before = self.board.contents(cell)
        assert (before is EMPTY) != (piece is EMPTY), f"{name}: {before!r} stands there, the hand brings {piece!r}"
        self.board.put(cell, piece, self.now)
        return before

    def square(self, name: str) -> int:
        return read_square(name, self.ruleset)

    def _cell(self, square: int):
        return self.ruleset.geometry.cells[square]

    # --- what can be heard, seen and read

    @property
    def session(self):
        return self.desk.session

    @property
    def phase(self) -> str:
        return name_of(self.session.phase)

    @property
    def record(self) -> list[str]:
        return [self.session.game.text_of(ply) for ply in range(self.session.game.ply)]

    def expect(self, *record: str, within_ms: int = 2000) -> int:
        """The record is, or soon becomes, these moves; how long it took."""
        return self.until(lambda: self.record == list(record), within_ms)

    @property
    def guidance(self) -> Guidance:
        """What the page shows: key, sentence, lit squares."""
        return guide(self.session)

    @property
    def lamps(self) -> dict[str, str]:
        """The lit squares and their roles: on the wood where it has lamps, else on the page."""
        if isinstance(self.board, MatrixBoard):
            squares = {cell: square for square, cell in enumerate(self.ruleset.geometry.cells)}
            lit = {squares[cell]: role for cell, role in self.board.lamps(self.now).items()}
        else:
            lit = {square: str(role) for square, role in self.guidance.cues}
        return {square_name(square, self.ruleset): role for square, role in lit.items()}

    @property
    def heard(self) -> list[object]:
        """What was announced to page, MQTT and journal."""
        return [effect.what for effect in self.happened if isinstance(effect, Announce)]

    def heard_of(self, kind: type) -> list[object]:
        return [what for what in self.heard if isinstance(what, kind)]

    @property
    def story(self) -> list[str]:
        """What was announced of the game, in short."""
        return [short for what in self.heard if (short := _short(what))]

    @property
    def questions(self) -> list[int]:
        """Numbers of the questions put to players, in order."""
        return [effect.request for effect in self.happened if isinstance(effect, Choose)]

    @property
    def withdrawn_questions(self) -> list[int]:
        return [effect.request for effect in self.happened if isinstance(effect, StopChoosing)]

    def silence(self, duration_ms: int = 0) -> bool:
        """Whether nothing is announced and no lamp changes, now and for this time."""
        before, lamps = len(self.heard), self.lamps
        for _ in range(max(1, duration_ms // 50)):
            self.wait(min(50, duration_ms))
            if len(self.heard) != before or self.lamps != lamps:
                return False
        return True

    # --- what holds in every scene

    def check(self) -> None:
        """The announcements alone make the record, and the journal replayed makes the same announcements."""
        self.wait(200)
        self.desk.journal.close()
        if isinstance(self.board, MatrixBoard) and self.is_plugged and self.phase != "Paused":
            cues = {square_name(square, self.ruleset): str(role) for square, role in self.guidance.cues}
            assert self.lamps == cues, "the lamps on the wood are not those of the guidance"
        header, lines = read_journal(self.desk.journal.path.read_bytes())
        session, effects = self.begun, []
        for line in lines:
            if line.event is not None:
                session, came = step(session, line.event)
                effects += [as_read(effect) for effect in came]
        assert effects == [line.effect for line in lines if line.effect is not None]
        told = unfinished_game(header, lines)
        if told is not None:
            assert told.game.moves == self.session.game.moves
        seqs: dict[str, list[int]] = {}
        for effect in effects:
            if effect["effect"] == "Announce":
                seqs.setdefault(effect["game"], []).append(effect["seq"])
        assert all(found == list(range(found[0], found[0] + len(found))) for found in seqs.values())


def _short(what: object) -> str:
    match what:
        case Moved(text=text):
            return text
        case Revised(old=old, new=new):
            return f"{old.text} -> {new.text}"
        case TakenBack(plies=plies):
            return f"back {plies}"
        case Illegal(rule=rule):
            return f"illegal: {rule}"
        case Prompted(prompt=prompt):
            return f"prompt: {prompt}"
        case BoardDiffers():
            return "differs"
        case GameStarted():
            return "started"
        case GameOver(result=result):
            return f"over: {result}"
    return ""


def _is_due(moment: int | None, now: int) -> bool:
    return moment is not None and moment <= now


def names(squares: Iterable[int], ruleset: Ruleset) -> set[str]:
    """Squares as the variant writes them."""
    return {square_name(square, ruleset) for square in squares}
