"""Another program as a player, over TCP in DamExchange: the link, and a player that asks for games or is asked."""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from dataclasses import dataclass

from engine import dxp
from engine.errors import AmbiguousMoveError, IllegalMoveError
from engine.game import Game, Outcome, agreed, new_game, resigned
from engine.position import Side
from engine.ruleset import Ruleset
from station.errors import ConfigError
from station.runtime.hub_process import Answer
from station.runtime.player_errors import EndedError, IllegalAnswerError, PlayerError, SilentError, UnfitError

LISTEN_S = 120.0
"""How long a program may take to connect, or to ask for a game."""
CONNECT_S = 10.0
END_S = 3.0
"""How long to wait for the other program's word that a game is over."""
NAME = "Dambord"
PREFIX = "dxp:"


class GivenUpError(Exception):
    """The other program ended a game that was not over by the rules."""

    def __init__(self, outcome: Outcome, wrongly: str = "") -> None:
        super().__init__(wrongly or outcome.reason)
        self.outcome = outcome
        self.wrongly = wrongly
        """What was wrong with it; empty where the other program may end it."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where the other program is: we connect to `host`, or wait for it where `listens`; who asks for games."""

    host: str
    port: int
    listens: bool = False
    follows: bool = False
    """Whether the other program asks for the games."""


def read_address(text: str) -> Address:
    """The address in `dxp:HOST:PORT` or `dxp:listen:PORT`, `dxp:follow:...` where the other program asks for games.

    ConfigError says what is wrong.
    """
    rest = text.removeprefix(PREFIX)
    follows = rest.startswith("follow:")
    host, _, port = rest.removeprefix("follow:").rpartition(":")
    if not host or not (port.isascii() and port.isdigit() and int(port) < 65536):
        raise ConfigError(f"{text}: expected dxp:HOST:PORT, dxp:listen:PORT, or dxp:follow: and one of the two")
    listens = host == "listen"
    return Address("" if listens else host.strip("[]"), int(port), listens, follows)


class Link:
    """One connection to another program: whole messages in and out."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._rest = b""
        self._read: list[bytes] = []

    def send(self, message: dxp.Message) -> None:
        """Send a message; EndedError when nobody is there any more."""
        try:
            self._socket.settimeout(CONNECT_S)
            self._socket.sendall(dxp.write_dxp(message))
        except OSError as error:
            raise EndedError(f"the connection has ended: {error}") from error

    def receive(self, within_s: float) -> dxp.Message:
        """The next message but chat, which is left aside, and requests to go back, which are not supported.

        PlayerError when none comes in time, the connection ends, or what comes is no DamExchange.
        """
        deadline = time.monotonic() + within_s
        while True:
            try:
                message = dxp.read_dxp(self._next(deadline, within_s))
            except dxp.DxpError as error:
                raise PlayerError(f"the other program sent {error}") from error
            match message:
                case dxp.Chat():
                    pass
                case dxp.BackRequest():
                    self.send(dxp.BackAccept(dxp.BACK_UNKNOWN))
                case _:
                    return message

    def _next(self, deadline: float, within_s: float) -> bytes:
        while not self._read:
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                raise SilentError(f"the other program was silent for {within_s:.1f} s")
            self._socket.settimeout(left_s)
            try:
                data = self._socket.recv(4096)
            except TimeoutError:
                continue
            except OSError as error:
                raise EndedError(f"the connection has ended: {error}") from error
            if not data:
                raise EndedError("the other program has ended the connection")
            whole, self._rest = dxp.split_dxp(self._rest + data)
            self._read += whole
        return self._read.pop(0)

    def close(self) -> None:
        """End the connection; whoever waits for a message gets an EndedError."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


@dataclass(frozen=True, slots=True)
class Invitation:
    """A game that the other program asked for: where it begins, and which side it plays itself."""

    game: Game
    side: Side


class DxpPlayer:
    """Another program as one side of games by `ruleset`, all on one connection as long as it holds.

    `minutes` is what each side has for a whole game, `margin_s` what it may be late by our own clock. `listen` before
    the first game makes sure that a port is there to connect to.
    """

    def __init__(self, address: Address, ruleset: Ruleset, minutes: int, margin_s: float) -> None:
        if not dxp.can_be_played(ruleset):
            raise ConfigError(f"{ruleset.name}: expected a game on the 50 squares of a board 10x10 for DamExchange")
        self.name = f"{'program at' if not address.listens else 'program that calls'} port {address.port}"
        self._address, self._ruleset = address, ruleset
        self._minutes, self._margin_s = minutes, margin_s
        self._door: socket.socket | None = None
        self._link: Link | None = None
        self._side = Side.BLACK
        self._told = 0
        self._over = False
        self._closed = False
        self._left_s = 0.0
        self._since = 0.0
        """When our side was told of the position it has to move in."""

    @property
    def follows(self) -> bool:
        """Whether the other program asks for the games."""
        return self._address.follows

    def listen(self) -> int:
        """Open the port that the other program is to connect to, if it is; returns its number."""
        if self._address.listens and self._door is None:
            try:
                self._door = socket.create_server((self._address.host, self._address.port), backlog=1)
            except OSError as error:
                raise UnfitError(f"port {self._address.port}: {error.strerror or error}") from error
            self._door.settimeout(LISTEN_S)
        return self._door.getsockname()[1] if self._door else self._address.port

    def _linked(self) -> Link:
        if self._closed:
            raise EndedError("the match is over")
        if self._link is None:
            self.listen()
            try:
                if self._door is not None:
                    connection, _ = self._door.accept()
                else:
                    where = (self._address.host, self._address.port)
                    connection = socket.create_connection(where, timeout=CONNECT_S)
            except TimeoutError as error:
                raise UnfitError(f"{self.name}: nobody there in time") from error
            except OSError as error:
                raise UnfitError(f"{self.name}: {error.strerror or error}") from error
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._link = Link(connection)
        return self._link

    def new_game(self, game: Game, side: Side) -> None:
        """Ask the other program to play `side` of a game that begins where `game` stands; UnfitError if it refuses."""
        was_linked = self._link is not None
        try:
            self._ask_for(game, side)
        except EndedError:
            if not was_linked:
                raise
            self.drop()  # it left after the game before; perhaps it takes another connection
            self._ask_for(game, side)

    def _ask_for(self, game: Game, side: Side) -> None:
        link = self._linked()
        usual = game.position.diagram == new_game(self._ruleset).position.diagram
        link.send(dxp.GameRequest(NAME, side, self._minutes, 0, None if usual else game.position))
        answer = link.receive(LISTEN_S)
        if isinstance(answer, dxp.GameRequest):
            raise UnfitError("the other program asks for games too, expected dxp:follow:... here")
        if not isinstance(answer, dxp.GameAccept):
            raise PlayerError(f"the other program answered {answer}, expected that it accepts a game or refuses")
        self.name = answer.name or self.name
        if answer.code != dxp.ACCEPTED:
            why = "it speaks another version" if answer.code == dxp.WRONG_VERSION else "it does not want to play"
            raise UnfitError(f"{self.name} refuses the game: {why}")
        self._begin(game, side)

    def invited(self) -> Invitation:
        """Wait for the other program to ask for a game, and accept it; a request of another version is refused."""
        deadline = time.monotonic() + LISTEN_S
        request = self._request(deadline)
        while request.version != dxp.VERSION:
            self._linked().send(dxp.GameAccept(NAME, dxp.WRONG_VERSION))
            request = self._request(deadline)
        self.name = request.name or self.name
        self._minutes = request.minutes or self._minutes
        game = new_game(self._ruleset, request.position)
        if game.outcome() is not None:
            self._linked().send(dxp.GameAccept(NAME, dxp.REFUSED))
            raise UnfitError(f"{self.name} asks for a game that is over before it begins")
        self._linked().send(dxp.GameAccept(NAME))
        self._begin(game, request.follower.other)
        return Invitation(game, request.follower.other)

    def _request(self, deadline: float) -> dxp.GameRequest:
        """The next game asked for, also on another connection; what else comes belongs to the game before."""
        while True:
            try:
                message = self._linked().receive(deadline - time.monotonic())
            except EndedError:
                self.drop()
                if time.monotonic() > deadline:
                    raise
                continue
            if isinstance(message, dxp.GameRequest):
                return message

    def _begin(self, game: Game, side: Side) -> None:
        self._side, self._told, self._over = side, game.ply, False
        self._left_s = 60.0 * self._minutes + self._margin_s
        self._since = time.monotonic()

    def choose(self, game: Game) -> Answer:
        """The other program's move; GivenUpError when it ends the game, PlayerError when it does not play on."""
        link = self._linked()
        self._tell(link, game)
        asked = time.monotonic()
        message = link.receive(self._left_s)
        self._since = time.monotonic()
        took_s = self._since - asked
        self._left_s = max(0.0, self._left_s - took_s)
        match message:
            case dxp.MoveMade():
                try:
                    move = dxp.read_dxp_move(message, game.legal_moves)
                except (IllegalMoveError, AmbiguousMoveError) as error:
                    raise IllegalAnswerError(f"the other program answered {error}") from error
                self._told = game.ply + 1
                return Answer(move, None, 1000 * took_s)
            case dxp.GameEnd(reason):
                self._over = True
                link.send(dxp.GameEnd(dxp.NO_RESULT))
                raise GivenUpError(*self._given_up(reason))
        raise PlayerError(f"the other program sent {message}, expected a move")

    def _given_up(self, reason: int) -> tuple[Outcome, str]:
        if reason == dxp.SENDER_LOSES:
            return resigned(self._ruleset, self._side), ""
        if reason == dxp.DRAW:
            return agreed(self._ruleset), ""
        claim = "that it has won" if reason == dxp.SENDER_WINS else "no result"
        return Outcome(self._side.other, "game left"), f"the other program ended the game with {claim}"

    def _tell(self, link: Link, game: Game) -> None:
        """Send the move that the other program does not know of yet."""
        for move in game.moves[self._told :]:
            link.send(dxp.dxp_move(move, round(time.monotonic() - self._since)))
        self._told = game.ply

    def finish(self, game: Game, winner: Side | None, last: bool) -> None:
        """Tell the other program the last move and that the game is over, as the protocol wants it.

        The side to move says so first, the other end answers; whoever says nothing is left.
        """
        if self._link is None or self._over:
            return
        self._over = True
        link = self._link
        try:
            self._tell(link, game)
            if game.position.turn is self._side and self._hears_the_end(link):
                link.send(dxp.GameEnd(dxp.NO_RESULT, last))
                return
            reason = dxp.DRAW if winner is None else dxp.SENDER_LOSES if winner is self._side else dxp.SENDER_WINS
            link.send(dxp.GameEnd(reason, last))
            if not self._hears_the_end(link):
                self.drop()
        except PlayerError:
            self.drop()

    def _hears_the_end(self, link: Link) -> bool:
        """Whether the other program says in time that the game is over; what else it says is too late."""
        deadline = time.monotonic() + END_S
        with suppress(SilentError):
            while not isinstance(link.receive(deadline - time.monotonic()), dxp.GameEnd):
                pass
            return True
        return False

    def drop(self) -> None:
        """End the connection; the next game makes another."""
        link, self._link = self._link, None
        if link is not None:
            link.close()

    def close(self) -> None:
        """End the connection and take no more."""
        self._closed = True
        self.drop()
        door, self._door = self._door, None
        if door is not None:
            with suppress(OSError):
                door.shutdown(socket.SHUT_RDWR)
            door.close()
