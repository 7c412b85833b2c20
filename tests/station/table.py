"""A board with perfect sensors, its session and a clock, for tests: touch pieces, let time pass, hear what is told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.fen import read_fen
from engine.notation import read_move, read_square
from engine.position import EMPTY, Move, Piece, Position
from engine.ruleset import Ruleset, load_ruleset
from engine.view import ANYTHING, BLACK, OCCUPIED, WHITE, BoardView, view_of
from firmware_bridge.driver import Device
from station.announcements import Illegal, Moved, Prompted, Revised, TakenBack, What
from station.effects import Announce, Answer, Choose, Effect, StopChoosing
from station.events import BoardSeen, DeviceBack, DeviceLost, Event, PlayerChose, Pressed, Requested, TimePassed
from station.guidance import Guidance, guide
from station.phases import name_of
from station.session import begin, deadline_ms, step
from station.settings import Settings
from station.texts import load_texts

KINDS = ("occupancy", "colour", "identity")
DEVICE = Device("test board", "1", "1.0", colour=True, identity=True, lamps=True)


def see(contents: Sequence[Piece], kind: str = "identity", unknown: Iterable[int] = (), firm: bool = True) -> BoardView:
    """What a perfect sensor of a kind says of a board; nothing of the squares it cannot see."""
    hidden = set(unknown)
    return view_of((ANYTHING if s in hidden else possible(c, kind) for s, c in enumerate(contents)), firm=firm)


def possible(content: Piece, kind: str) -> Piece:
    if content is EMPTY or kind == "identity":
        return content
    if kind == "occupancy":
        return OCCUPIED
    return WHITE if content & WHITE else BLACK


class Table:
    """Hands at one board. Every touch is seen `pause_ms` after the one before."""

    def __init__(
        self,
        variant: str = "russian",
        fen: str = "",
        *,
        kind: str = "identity",
        pause_ms: int = 50,
        ready: bool = True,
        **settings: object,
    ) -> None:
        self.ruleset: Ruleset = load_ruleset(variant)
        chosen = Settings("table", self.ruleset, start_fen=fen, **settings)
        self.session = begin(chosen, load_texts("en"), "boot")
        self.kind, self.pause_ms = kind, pause_ms
        self.unknown: set[int] = set()
        self.stands = list(self.session.game.position.contents)
        self.effects: list[Effect] = []
        if ready:
            self.send(DeviceBack(self.now, DEVICE))
            self.look()
            self.wait(1000)
            assert self.phase != "SettingUp"
            self.effects.clear()

    # --- time and events

    @property
    def now(self) -> int:
        return self.session.at_ms

    def send(self, event: Event) -> tuple[Effect, ...]:
        self.session, effects = step(self.session, event)
        self.effects += effects
        return effects

    def wait(self, duration_ms: int) -> None:
        """Let time pass, as the loop does: the session is woken at each of its deadlines."""
        until = self.now + duration_ms
        while (due := deadline_ms(self.session)) is not None and due <= until:
            self.send(TimePassed(due))
        self.send(TimePassed(until))

    def look(self, firm: bool = True) -> None:
        """The sensors tell what stands."""
        self.send(BoardSeen(self.now, see(self.stands, self.kind, self.unknown, firm)))

    # --- hands

    def square(self, name: str) -> int:
        return read_square(name, self.ruleset)

    def take(self, *names: str) -> None:
        for name in names:
            self.touch(self.square(name), EMPTY)

    def put(self, name: str, piece: Piece) -> None:
        self.touch(self.square(name), piece)

    def touch(self, square: int, piece: Piece) -> None:
        self.wait(self.pause_ms)
        self.stands[square] = piece
        self.look()

    def move(self, text: str) -> Move:
        """Make a legal move by hand: the mover, then the captured pieces."""
        made = self.legal(text)
        self.carry_out(made)
        return made

    def carry_out(self, move: Move) -> None:
        before = Position(tuple(self.stands), self.session.game.position.turn)
        self.touch(move.from_square, EMPTY)
        self.touch(move.to_square, before.after(move).contents[move.to_square])
        for square in move.captured:
            self.touch(square, EMPTY)

    def stand(self, contents: Sequence[Piece]) -> None:
        """All at once, another board stands there."""
        self.wait(self.pause_ms)
        self.stands = list(contents)
        self.look()

    def play(self, *texts: str) -> None:
        """Moves by hand, each until it is in the record."""
        for text in texts:
            self.move(text)
            self.wait(1500)

    def legal(self, text: str) -> Move:
        game = self.session.game
        ways = [way for ways in game.rules.ways(game.position).values() for way in ways]
        return read_move(text, game.position, ways, self.ruleset)

    # --- requests

    def ask(self, name: str, **arguments: str | int | bool) -> str | None:
        """Why a request was refused; None when it was carried out."""
        effects = self.send(Requested(self.now, "r", name, arguments))
        (answer,) = [effect for effect in effects if isinstance(effect, Answer)]
        return answer.error

    def press(self, button: str) -> None:
        self.send(Pressed(self.now, button))

    def choose(self, text: str, request: int | None = None, score: int | None = None) -> None:
        self.choose_move(self.legal(text), request, score)

    def choose_move(self, move: Move, request: int | None = None, score: int | None = None) -> None:
        self.send(PlayerChose(self.now, self.session.request if request is None else request, move, score))

    def lose(self) -> None:
        self.send(DeviceLost(self.now, "unplugged"))

    def regain(self) -> None:
        self.send(DeviceBack(self.now, DEVICE))
        self.look()

    # --- what can be heard and seen

    @property
    def phase(self) -> str:
        return name_of(self.session.phase)

    @property
    def record(self) -> list[str]:
        return [self.session.game.text_of(ply) for ply in range(self.session.game.ply)]

    @property
    def guidance(self) -> Guidance:
        return guide(self.session)

    @property
    def heard(self) -> list[What]:
        return [effect.what for effect in self.effects if isinstance(effect, Announce)]

    def heard_of(self, kind: type) -> list[What]:
        return [what for what in self.heard if isinstance(what, kind)]

    @property
    def story(self) -> list[str]:
        """What happened to the record, in short."""
        short = []
        for what in self.heard:
            match what:
                case Moved(text=text):
                    short.append(text)
                case Revised(old=old, new=new):
                    short.append(f"{old.text} -> {new.text}")
                case TakenBack(plies=plies):
                    short.append(f"back {plies}")
                case Illegal(rule=rule):
                    short.append(f"illegal: {rule}")
                case Prompted(prompt=prompt):
                    short.append(f"prompt: {prompt}")
        return short

    @property
    def chosen(self) -> list[int]:
        """Numbers of the questions put to players."""
        return [effect.request for effect in self.effects if isinstance(effect, Choose)]

    @property
    def stopped(self) -> list[int]:
        return [effect.request for effect in self.effects if isinstance(effect, StopChoosing)]


def position_in(variant: str, fen: str) -> Position:
    return read_fen(fen, load_ruleset(variant))
