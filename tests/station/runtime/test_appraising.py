"""Who is ahead, as a real engine's process tells it."""

from __future__ import annotations

import json
import threading
from urllib.request import urlopen

import pytest

from station.events import TimePassed
from station.runtime.appraising import TOPIC, Appraiser
from station.runtime.loop import Outcome
from tests.station.table import Table

WAIT_S = 30.0


class Display:
    """What was told, in order."""

    def __init__(self):
        self.told = []
        self.changed = threading.Condition()

    def publish(self, board, data, topic):
        with self.changed:
            self.told.append((board, topic, data["men"]))
            self.changed.notify()

    def wait(self, count):
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.told) >= count, WAIT_S), self.told
            return self.told[count - 1]


@pytest.fixture
def display():
    return Display()


@pytest.fixture
def appraiser(display):
    appraiser = Appraiser(["table"], display.publish)
    appraiser.start()
    yield appraiser
    appraiser.stop()


def outcome(table, board="table"):
    return Outcome(board, table.session, TimePassed(table.now), ())


def test_the_lead_is_white_s_whoever_is_to_move(appraiser, display):
    for place, (fen, least) in enumerate(
        (("W:Wa1,c1,e1,b2,d2:Bb8,d8", 1), ("B:Wa1,c1,e1,b2,d2:Bb8,d8", 1), ("B:Wa1,c1:Bb8,d8,f8,a7,c7", -1)), 1
    ):
        appraiser.hear(outcome(Table(fen=fen)))
        board, topic, men = display.wait(place)
        assert (board, topic) == ("table", TOPIC)
        assert men * least > 0.8


def test_the_start_position_is_nobody_s_and_other_boards_are_left_alone(appraiser, display):
    appraiser.hear(outcome(Table("english"), board="other"))
    appraiser.hear(outcome(Table("international")))
    board, _, men = display.wait(1)
    assert board == "table"
    assert abs(men) < 0.5


def test_a_problem_and_a_game_that_is_over_are_not_judged(appraiser, display):
    table = Table()
    assert table.ask("new_game", problem=1) is None
    appraiser.hear(outcome(table))
    assert display.wait(1) == ("table", TOPIC, None)
    table = Table()
    appraiser.hear(outcome(table))
    assert display.wait(2)[2] is not None
    assert table.ask("resign", side="black") is None
    appraiser.hear(outcome(table))
    assert display.wait(3) == ("table", TOPIC, None)


def test_a_station_shows_it_for_the_boards_that_are_set_to(stand):
    table = stand(boards=("judged", "plain"), page=True, each={"judged": {"evaluation": True}})
    with urlopen(f"{table.service.page.url}events", timeout=WAIT_S) as stream:
        lines = iter(stream.readline, b"")
        assert any(line == b"event: evaluation\n" for line in lines)
        told = json.loads(next(lines).removeprefix(b"data: "))
    assert told["board"] == "judged"
    assert abs(told["men"]) < 0.5
