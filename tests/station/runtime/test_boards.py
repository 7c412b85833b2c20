"""The worker of a board: it outlives its driver's faults, and says what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_bridge.boards.matrix import Driver as Matrix
from firmware_bridge.driver import Calibration
from firmware_bridge.simulator import CertaboBoard, DgtBoard, MatrixBoard
from station.config import BoardTable
from station.errors import ConfigError
from station.events import DeviceBack, DeviceLost
from station.phases import Paused, Turn
from station.runtime.boards import BoardWorker, driver_class
from station.runtime.known_boards import KnownBoards
from station.runtime.places import Places


class Driver(Matrix):
    """A driver with a mistake that shows once."""

    failed = False

    def receive(self, data, now_ms):
        if self.device is not None and not Driver.failed:
            Driver.failed = True
            raise ZeroDivisionError("a mistake")
        return super().receive(data, now_ms)


def test_a_driver_that_fails_is_a_lost_device_and_is_started_again(stand, capsys):
    table = stand()
    table.watcher.wait(lambda o: isinstance(o.session.phase, Turn))
    worker = table.service.boards[0]
    driver = Driver(table.session().game.ruleset.geometry, None)
    driver.__dict__.update(worker._driver.__dict__)
    worker._driver = driver
    lost = table.watcher.wait(lambda o: isinstance(o.event, DeviceLost))
    assert "a mistake" in lost.event.reason
    assert isinstance(lost.session.phase, Paused)
    back = table.watcher.wait(lambda o: isinstance(o.event, DeviceBack) and o.event.at_ms > lost.event.at_ms)
    table.watcher.wait(lambda o: o.event.at_ms >= back.event.at_ms and isinstance(o.session.phase, Turn))
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_O46_a_board_that_is_pulled_is_said_soon_and_found_again(stand):
    table = stand()
    assert table.ports["table"].path.is_symlink()  # as udev's names are
    table.watcher.wait(lambda o: isinstance(o.session.phase, Turn))
    clock = table.service.clock
    pulled_ms = clock.now_ms()
    table.ports["table"].unplug()
    lost = table.watcher.wait(lambda o: isinstance(o.event, DeviceLost))
    assert lost.event.at_ms - pulled_ms < 2000
    assert lost.session.problem
    table.ports["table"].plug()
    back = table.watcher.wait(lambda o: isinstance(o.event, DeviceBack) and o.event.at_ms > lost.event.at_ms)
    assert not back.session.problem
    table.watcher.wait(lambda o: o.event.at_ms >= back.event.at_ms and isinstance(o.session.phase, Turn))


@pytest.mark.parametrize("name", ["gameboy", "station.runtime.clock", "no.such.module", "..", ""])
def test_a_driver_that_does_not_exist_is_named(name):
    expected = "expected camera, certabo, dgt, dgt-bus, gpio-matrix, matrix, millennium or a module"
    with pytest.raises(ConfigError, match=expected):
        driver_class(name)


def test_a_foreign_driver_is_found_by_its_dotted_name():
    assert driver_class(__name__) is Driver
    assert BoardTable("a", "matrix", usb_serial="7").place == "USB serial number 7"


def test_how_a_board_of_ours_lies_is_kept_under_its_id_and_a_game_goes_on_on_it(stand):
    first = stand(devices={"table": MatrixBoard(8, 8, colour=True, rotated=True)})
    first.watcher.wait(lambda o: isinstance(o.session.phase, Turn))
    first.until(lambda: first.service.boards[0]._learned is not None)
    first.service.stop()
    shelf = KnownBoards(Path(first.service.config.station.data))
    ((unique_id, known),) = shelf.all().items()
    assert known == Calibration(lay=180)
    again = BoardWorker(first.service.config.boards[0], first.service.loop, Places(()), shelf)._driver
    assert again._lays == {unique_id: 180}


@pytest.mark.parametrize("driver", ["dgt", "certabo"])
def test_what_a_driver_learned_of_its_board_is_known_at_the_next_start(stand, driver):
    def device():
        if driver == "dgt":
            return DgtBoard(8, 8, codes="draughts-old", rotated=True)
        return CertaboBoard()

    first = stand(driver=driver, devices={"table": device()})
    first.watcher.wait(lambda o: isinstance(o.session.phase, Turn))
    first.until(lambda: first.service.boards[0]._learned is not None)
    first.service.stop()
    shelf = KnownBoards(Path(first.service.config.station.data))
    assert list(shelf.all()) == ["10247" if driver == "dgt" else "table"]
    again = BoardWorker(first.service.config.boards[0], first.service.loop, Places(()), shelf)._driver
    if driver == "dgt":
        again.start(0)
        again.receive(b"\x91\x00\x0810247", 0)
    assert [again.learned] == list(shelf.all().values())
