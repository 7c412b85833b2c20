"""A whole station put together: desks, workers, page and broker, from a configuration."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from firmware_bridge.serial_port import Listing, ports
from station.config import BoardTable, Config, WebTable
from station.errors import ConfigError, JournalError
from station.handling.arm import NOT_MOVING
from station.journal import FORMAT, Header, Resumed, announcements, plain_resumed, salvage, unfinished_game
from station.runtime.boards import BoardWorker
from station.runtime.clock import Clock, read_wall, wall_text
from station.runtime.desk import Desk, JournalFile
from station.runtime.folder import Folder
from station.runtime.known_boards import KnownBoards
from station.runtime.loop import Loop, Worker
from station.runtime.places import Places
from station.runtime.players import PlayerWorker
from station.runtime.secret import read_pin
from station.runtime.shared_lines import SharedLines
from station.runtime.table_maker import TableMaker
from station.runtime.version import PROGRAM
from station.session import begin
from station.texts import load_texts

if TYPE_CHECKING:
    from station.runtime.album import Album
    from station.runtime.appraising import Appraiser
    from station.runtime.arm_desk import ArmDesk
    from station.runtime.arms import ArmWorker
    from station.runtime.mqtt import MqttWorker
    from station.runtime.outbox import Outbox
    from station.runtime.speaking import VoiceWorker
    from station.web import Cameras, Hands, WebServer


STUCK_S = 15.0
"""A thread that has not come round for so long hangs: no port and no driver takes a third of that."""


class Service:
    """Everything a station runs: start() returns when the page can be opened."""

    def __init__(
        self,
        config: Config,
        hands: Hands | None = None,
        watchers: Sequence[Worker] = (),
        page: bool = True,
        any_port: bool = False,
        listing: Callable[[], Listing] = ports,
    ) -> None:
        self.config, self._hands, self._wants_page, self._any_port = config, hands, page, any_port
        self.clock = Clock()
        data = Path(config.station.data)
        self._folder = Folder(data)
        self.boot = boot_after(self.clock.boot, data / "journal")
        self._outbox = _outbox(data) if config.mqtt else None
        desks = {table.id: self._desk(table, self._outbox) for table in config.boards}
        self.loop = Loop(desks, self.clock)
        places = Places(config.boards, listing)
        self.albums = _albums(config, data, self.boot)
        lines = SharedLines()
        self.boards = [
            BoardWorker(table, self.loop, places, KnownBoards(data), self.albums.get(table.id), lines)
            for table in config.boards
        ]
        self.arms = _arms(config, self.loop)
        self.loop.brakes = {worker.board: worker.brake for worker in self.arms}
        self.arm_desk = _arm_desk(config, self.arms, self.loop)
        self.endings = TableMaker(data / "endings")
        self.players = [
            PlayerWorker(table.id, self.loop, self.endings, is_unhurried=table.is_unhurried) for table in config.boards
        ]
        self.mqtt: MqttWorker | None = None
        self.page: WebServer | None = None
        self.appraiser: Appraiser | None = None
        self.voice = _voice(config)
        self._watchers = list(watchers)

    def start(self) -> None:
        """Start all threads; AddressError when the page's address is taken, OSError when a file for MQTT is missing."""
        # Boards and the game come first: a small machine takes a second or two to load the page's server.
        for board in self.boards:
            board.start()
        workers: list[Worker] = [*self.arms, *self.boards, *self.players, *self._watchers]
        if self.voice is not None:
            self.voice.start()
            workers.append(self.voice)
        if self._outbox is not None:
            try:
                self.mqtt = self._mqtt_worker(self._outbox)
            except OSError:
                self._end()
                raise
            workers.append(self.mqtt)
        for player in self.players:
            player.start()
        for arm in self.arms:
            arm.start()
        if self.mqtt is not None:
            self.mqtt.start()
        self.loop.start(workers)
        if self._wants_page:
            try:
                self._start_page()
            except OSError:
                self.stop()
                raise

    def _mqtt_worker(self, outbox: Outbox) -> MqttWorker:
        from station.runtime.health import Health
        from station.runtime.mqtt import MqttWorker

        assert self.config.mqtt is not None
        health = {board.id: Health(board.counters) for board in self.boards}
        return MqttWorker(self.config, self.config.mqtt, self.loop, outbox, health)

    def _start_page(self) -> None:
        from station.runtime.page import PageWorker
        from station.web import AddressError, Feed, Rights, WebServer, create_app

        feed, web = Feed(), self.config.web
        worker = PageWorker(self.loop, feed)
        station = self.config.station
        app = create_app(
            feed,
            worker.ask,
            self._hands,
            station=station.id,
            language=station.language,
            allowed_hosts=allowed_hosts(web),
            cameras=self._cameras(),
            arms=self.arm_desk,
            rights=Rights(read_pin(web.pin_file), is_open=self._hands is not None),
            address=(web.address, web.host),
        )
        self.page = WebServer(app, web.host, web.port)
        try:
            self.page.start()
        except AddressError:
            if not self._any_port:
                raise
            self.page.port = 0
            self.page.start()
        self.loop.join(worker)
        judged = [table.id for table in self.config.boards if table.evaluation]
        if judged:
            from station.runtime.appraising import Appraiser

            self.appraiser = Appraiser(judged, feed.publish)
            self.appraiser.start()
            self.loop.join(self.appraiser)

    def _cameras(self) -> Cameras | None:
        if not self.albums:
            return None
        from station.runtime.camera_desk import CameraDesk

        tables = {table.id: table for table in self.config.boards}
        return CameraDesk(self.albums, tables, load_texts(self.config.station.language))

    def stuck(self, within_s: float = STUCK_S) -> str:
        """The thread that hangs, and so keeps a game from going on; empty when none does."""
        if not self.loop.answers(within_s):
            return "the loop"
        late_ms = self.clock.now_ms() - round(within_s * 1000)
        return next((f"board {board.id}" for board in self.boards if board.turned_ms < late_ms), "")

    def stop(self) -> None:
        """End all threads; what was announced is on the disk."""
        self._end_boards()
        for player in self.players:
            player.stop()
        if self.mqtt is not None:
            self.mqtt.stop()
        if self.page is not None:
            self.page.stop()
        if self.appraiser is not None:
            self.appraiser.stop()
        if self.voice is not None:
            self.voice.stop()
        self._end()

    def _end(self) -> None:
        self._end_boards()
        self.endings.stop()
        if self._outbox is not None:
            self._outbox.close()
        self._folder.let_go()

    def _end_boards(self) -> None:
        if self.arm_desk is not None:
            self.arm_desk.close()
        for arm in self.arms:
            arm.stop()
        for board in self.boards:
            board.ask_to_stop()
        for board in self.boards:
            board.stop()
        self.loop.stop()

    def _desk(self, table: BoardTable, outbox: Outbox | None) -> Desk:
        folder = Path(self.config.station.data) / "journal" / table.id
        resumed = resume(folder)
        if resumed is not None and resumed.game.ruleset.geometry.cells != table.ruleset.geometry.cells:
            resumed = None
        if outbox is not None:
            base = f"{self.config.mqtt.base}/{self.config.station.id}" if self.config.mqtt else ""
            catch_up(folder, table.id, f"{base}/{table.id}/event", outbox)
        settings = table.settings()
        header = Header(
            FORMAT,
            PROGRAM,
            self.boot,
            wall_text(self.clock.began),
            settings,
            self.config.station.language,
            plain_resumed(resumed) if resumed else None,
        )
        journal = JournalFile(folder / f"{self.boot}.jsonl", header)
        session = begin(settings, load_texts(self.config.station.language), self.boot, resumed)
        return Desk(session, journal)


def allowed_hosts(web: WebTable) -> tuple[str, ...]:
    """The names that the page may be called by: those that are listed, and that of its stated address."""
    stated = urlsplit(web.address).hostname
    return (*web.allowed_hosts, *([stated] if stated else []))


def _albums(config: Config, data: Path, boot: str) -> dict[str, Album]:
    """What is kept of each board under a camera."""
    tables = [table for table in config.boards if table.driver == "camera"]
    if not tables:
        return {}
    try:
        from station.runtime.album import album_of
    except ImportError as error:
        raise ConfigError(f"driver = 'camera': {error}: pip install 'dambord[vision]'") from error
    return {table.id: album_of(table, data, boot) for table in tables}


def _outbox(data: Path) -> Outbox:
    from station.runtime.outbox import Outbox

    return Outbox(data / "outbox.sqlite")


def _voice(config: Config) -> VoiceWorker | None:
    """What speaks; None where no board does."""
    speaking = [table.id for table in config.boards if table.speech]
    if not speaking:
        return None
    from station.runtime.speaking import VoiceWorker

    return VoiceWorker(config.station.voice, speaking)


def _arms(config: Config, loop: Loop) -> list[ArmWorker]:
    """A worker for each arm that is a machine."""
    setups = {
        table.id: table.arm_setup
        for table in config.boards
        if table.arm_setup is not None and table.arm not in NOT_MOVING
    }
    if not setups:
        return []
    from station.runtime.arms import ArmWorker

    return [ArmWorker(board, setup, loop) for board, setup in setups.items()]


def _arm_desk(config: Config, workers: Sequence[ArmWorker], loop: Loop) -> ArmDesk | None:
    """Where arms are shown their boards; None where there is none that moves."""
    if not workers:
        return None
    from station.runtime.arm_desk import ArmDesk
    from station.runtime.arms import can_be_shown
    from station.runtime.known_arms import KnownArms

    tables = {table.id: table for table in config.boards if can_be_shown(table)}
    if not tables:
        return None
    own = {worker.board: worker for worker in workers if worker.board in tables}
    texts = load_texts(config.station.language)
    return ArmDesk(own, tables, loop.brakes, KnownArms(Path(config.station.data)), texts)


def journals(folder: Path) -> list[Path]:
    """A board's journals, the latest first."""
    return sorted(folder.glob("*.jsonl"), reverse=True)


def resume(folder: Path) -> Resumed | None:
    """The game that a board's latest readable journal leaves unfinished."""
    for path in journals(folder):
        try:
            header, lines, faults = salvage(path.read_bytes(), str(path))
            for fault in faults:
                print(f"journal damaged: {fault}", file=sys.stderr)
            return unfinished_game(header, lines)
        except (OSError, ValueError, KeyError, TypeError) as error:
            print(f"journal set aside: {error}", file=sys.stderr)
    return None


def boot_after(boot: str, folder: Path) -> str:
    """A name for this start that sorts after every journal kept, even when the wall clock has gone back."""
    names = [path.stem for path in folder.glob("*/*.jsonl")]
    latest = max((int(name, 16) for name in names if re.fullmatch("[0-9a-f]{12}", name)), default=0)
    return f"{max(int(boot, 16), latest + 1):012x}"


def catch_up(folder: Path, board: str, topic: str, outbox: Outbox) -> None:
    """Put into the outbox what was announced to the latest journal and had not reached it."""
    from station.runtime.outbox import item_for

    for path in journals(folder)[:1]:
        try:
            header, lines, _ = salvage(path.read_bytes(), str(path))
        except (OSError, JournalError):
            return
        began, at_ms = read_wall(header.at), 0
        found = []
        for line in lines:
            if line.event is not None:
                at_ms = line.event.at_ms
            found += [(announcement, wall_text(began, at_ms)) for announcement in announcements((line,))]
        reached = outbox.reached(board)
        places = [place for place, (item, _) in enumerate(found, 1) if (item["game"], item["seq"]) == reached]
        for item, at in found[places[-1] if places else 0 :]:
            outbox.put(item_for(topic, board, item["game"], item["seq"], item["what"], at))
