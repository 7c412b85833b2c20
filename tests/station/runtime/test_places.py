"""Which ports are looked at for which board, and in which order."""

from __future__ import annotations

import pytest

from firmware_bridge.errors import PortLost
from station.config import BoardTable
from station.runtime.places import Places

A = BoardTable("a", "matrix", port="/dev/one", unique_id="A")
B = BoardTable("b", "matrix", port="/dev/two", unique_id="B")
ANY = BoardTable("c", "matrix", port="/dev/three")
DGT = BoardTable("d", "dgt", port="/dev/four", unique_id="D")


def nothing():
    return ()


def test_a_board_is_looked_for_where_it_is_configured_then_where_boards_of_its_kind_are_that_are_told_by_id():
    places = Places((A, B, ANY, DGT), nothing)
    assert places.paths(A) == ("/dev/one", "/dev/two")
    assert places.paths(ANY) == ("/dev/three",)
    assert places.paths(DGT) == ("/dev/four",)


def test_where_a_board_was_met_comes_first_and_where_another_was_comes_last():
    places = Places((A, B), nothing)
    places.meet("/dev/one", "B")
    assert places.paths(A) == ("/dev/two", "/dev/one")
    assert places.paths(B) == ("/dev/one", "/dev/two")
    places.meet("/dev/two", "A")
    assert places.paths(A) == ("/dev/two", "/dev/one")
    places.meet("/dev/two", "C")
    assert places.paths(A) == ("/dev/one", "/dev/two"), "strangers everywhere: the place asked the longest ago is next"
    places.meet("/dev/one", "B")
    assert places.paths(A) == ("/dev/two", "/dev/one")


def test_a_usb_serial_number_is_looked_up_each_time():
    listings = [(("/dev/ttyACM3", "7"),), ((("/dev/ttyACM4", "7")),), (("/dev/ttyACM0", "8"),)]
    places = Places((BoardTable("e", "matrix", usb_serial="7"),), lambda: listings.pop(0))
    table = BoardTable("e", "matrix", usb_serial="7")
    assert places.paths(table) == ("/dev/ttyACM3",)
    assert places.paths(table) == ("/dev/ttyACM4",)
    with pytest.raises(PortLost, match="connected now: 8"):
        places.paths(table)


PLAIN = (("/dev/ttyUSB0", ""), ("/dev/ttyUSB1", ""), ("/dev/ttyUSB2", "7"), ("/dev/ttyUSB3", ""), ("/dev/ttyS0", ""))


def test_a_pattern_names_its_ports_that_have_no_number_and_are_nobody_elses():
    table, other = BoardTable("f", "dgt", port="/dev/ttyUSB*"), BoardTable("g", "dgt", port="/dev/ttyUSB3")
    listings = [PLAIN, PLAIN[2:]]
    places = Places((table, other), lambda: listings.pop(0))
    assert places.paths(table) == ("/dev/ttyUSB0", "/dev/ttyUSB1")
    with pytest.raises(PortLost, match=r"/dev/ttyUSB\*: no such port without a USB serial number"):
        places.paths(table)


def test_a_port_at_which_no_board_answered_is_asked_again_after_the_others():
    table = BoardTable("f", "dgt", port="/dev/ttyUSB*")
    places = Places((table,), lambda: PLAIN)
    places.meet("/dev/ttyUSB0", None)
    assert places.paths(table) == ("/dev/ttyUSB1", "/dev/ttyUSB3", "/dev/ttyUSB0")
    places.meet("/dev/ttyUSB3", "10247")
    places.meet("/dev/ttyUSB1", None)
    known = BoardTable("f", "dgt", port="/dev/ttyUSB*", unique_id="10247")
    assert places.paths(known) == ("/dev/ttyUSB3", "/dev/ttyUSB0", "/dev/ttyUSB1")
