"""A whole small station without threads: hands, a perfect sensor, a real session; time goes on with each touch."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from dataclasses import replace

from engine.position import EMPTY, Piece
from engine.ruleset import load_ruleset
from engine.view import BLACK, OCCUPIED, WHITE, view_of
from firmware_bridge.driver import Device
from station.effects import Answer, Choose
from station.events import BoardSeen, DeviceBack, DeviceLost, PlayerChose, Requested, TimePassed
from station.session import begin, step
from station.settings import Settings
from station.status import snapshot
from station.texts import load_texts
from station.web.feed import Feed

BOARD = "table-1"
QUIET_MS = 1800
DEVICE = Device("Simulated matrix board", "SIM-1", "1.0", colour=True, identity=False, lamps=True)


class Table:
    """A simulated board, its session, and the feed; fits `Hands`, and `ask` fits `Ask`."""

    def __init__(
        self,
        feed=None,
        board=BOARD,
        variant="international",
        white="person",
        black="person",
        fen="",
        home=True,
        **manners,
    ):
        self.feed = feed or Feed()
        self.board_id = board
        self.log = []
        self.requests = []
        self.plugged = True
        self.at_ms = 0
        self.lock = threading.RLock()
        settings = Settings(board, load_ruleset(variant), white=white, black=black, start_fen=fen, **manners)
        self.session = begin(settings, load_texts("en"), "boot")
        self.pieces = {}
        self.answers = {}
        with self.lock:
            if home:
                self.lay_out()
            self.happen(DeviceBack(self.at_ms, DEVICE))
            self.look()

    # --- the world ---

    def lay_out(self):
        """Set the pieces as the game has them."""
        geometry = self.session.game.ruleset.geometry
        contents = self.session.game.position.contents
        self.pieces = {geometry.cells[square]: piece for square, piece in enumerate(contents) if piece is not EMPTY}

    def cell(self, name):
        """The cell of a square as the variant names it."""
        return tuple(snapshot(self.session)["geometry"]["squares"][name])

    def happen(self, event):
        self.session, effects = step(self.session, event)
        for effect in effects:
            match effect:
                case Answer(request=request, error=error):
                    self.answers[request] = error
                case Choose(request=request, game=game):
                    self.happen(PlayerChose(self.at_ms, request, game.legal_moves[0]))
        self.feed.publish(self.board_id, snapshot(self.session), session=self.session)

    def look(self):
        """The sensors see the board, and it rests for a while."""
        if not self.plugged:
            return
        cells = self.session.game.ruleset.geometry.cells
        sets = [self.seen(self.pieces.get(cell, EMPTY)) for cell in cells]
        strays = tuple(cell for cell in self.pieces if cell not in cells)
        self.at_ms += 50
        self.happen(BoardSeen(self.at_ms, view_of(sets, strays)))
        for _ in range(6):
            self.at_ms += QUIET_MS // 6
            self.happen(TimePassed(self.at_ms))

    def seen(self, piece):
        return EMPTY if piece is EMPTY else WHITE if piece & WHITE else BLACK if piece & BLACK else OCCUPIED

    def move(self, *names):
        """Hands move a piece from square to square and take off what is named after a `x`."""
        start, end, *off = names
        piece = self.pieces[self.cell(start)]
        self.take(self.board_id, self.cell(start))
        for name in off:
            self.take(self.board_id, self.cell(name))
        self.put(self.board_id, self.cell(end), piece.name.lower())

    def say(self, sentence, prompt="turn", squares=()):
        """Publish a snapshot with this guidance, whatever the session says."""
        plain = snapshot(self.session)
        guidance = {"prompt": prompt, "sentence": sentence, "squares": dict(squares)}
        self.feed.publish(self.board_id, {**plain, "state": {**plain["state"], "guidance": guidance}})

    # --- Ask ---

    def ask(self, board, name, arguments):
        answer = Future()
        with self.lock:
            self.requests.append((board, name, dict(arguments)))
            key = str(len(self.requests))
            self.at_ms += 10
            self.happen(Requested(self.at_ms, key, name, arguments))
            if self.plugged:
                self.look()
            answer.set_result(self.answers[key])
        return answer

    # --- Hands ---

    def boards(self):
        return (self.board_id,)

    def world(self, board):
        with self.lock:
            return {cell: piece.name.lower() for cell, piece in self.pieces.items()}

    def lamps(self, board):
        with self.lock:
            cells = self.session.game.ruleset.geometry.cells
            return {cells[square]: str(role) for square, role in self.session.shown} if self.plugged else {}

    def put(self, board, cell, content):
        with self.lock:
            self.log.append(("put", cell, content))
            self.pieces[cell] = Piece[content.upper()]
            self.look()

    def take(self, board, cell):
        with self.lock:
            self.log.append(("take", cell))
            self.pieces.pop(cell, None)
            self.look()

    def press(self, board, button):
        if button == "clock_white":
            raise ValueError("no button 'clock_white' on this board, only confirm")
        self.log.append(("press", button))

    def unplug(self, board):
        with self.lock:
            self.plugged = False
            self.happen(DeviceLost(self.at_ms, "the cable has been pulled"))

    def plug(self, board):
        with self.lock:
            self.plugged = True
            self.happen(DeviceBack(self.at_ms, replace(DEVICE)))
            self.look()

    def is_plugged(self, board):
        return self.plugged
