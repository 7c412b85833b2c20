"""Every board driver, found by itself, against its simulated board; what a new driver has to stand."""

from __future__ import annotations

import ast
import pkgutil
from collections import Counter
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from kinds import KINDS
from wiring import BIG, SMALL, Wire, agrees, driver_of, home_of, set_up, straight

import firmware_bridge
from engine.position import BLACK_MAN, EMPTY, WHITE_MAN
from firmware_bridge import boards
from firmware_bridge.driver import Counters, Role

DRIVERS = sorted(module.name for module in pkgutil.iter_modules(boards.__path__))
FOLDER = Path(firmware_bridge.__file__).parent


def _sizes(name):
    made = getattr(type(driver_of(name, SMALL)), "sizes", ((8, 8), (10, 10)))
    return [board for board in (SMALL, BIG) if (board.columns, board.rows) in made]


def pytest_generate_tests(metafunc):
    """Each test for each driver; where it takes a wire, for each device and each size there is of it."""
    if "wire" in metafunc.fixturenames:
        names = [name for name in DRIVERS if KINDS[name].has_line or "fault" not in metafunc.fixturenames]
        cases = [(name, which, size) for name in names for which in KINDS[name].devices for size in _sizes(name)]
        ids = [f"{which}-{size.columns}x{size.rows}" for _, which, size in cases]
        metafunc.parametrize(("name", "which", "size"), cases, ids=ids)
    elif "name" in metafunc.fixturenames:
        metafunc.parametrize("name", DRIVERS)


def wired(name, size, which=None):
    device = KINDS[name].devices[which or next(iter(KINDS[name].devices))]
    wire = Wire(driver_of(name, size, home_of(size)), device(size.columns, size.rows))
    if KINDS[name].called:
        wire.driver.call(KINDS[name].called)
    set_up(wire, size, home_of(size))
    return wire


@pytest.fixture
def wire(name, which, size):
    wire = wired(name, size, which).start().run(2000)
    wire.geometry, wire.kind, wire.which = size, KINDS[name], which
    return wire


def test_every_driver_is_of_a_kind_that_is_known_here():
    assert set(KINDS) == set(DRIVERS)


def test_a_driver_has_the_whole_shape(name):
    driver = driver_of(name, SMALL)
    assert isinstance(type(driver).baud, int)
    assert driver.device is None
    assert driver.problem is None
    assert driver.deadline_ms() is None
    assert driver.counters == Counters()


def test_it_comes_online_once_and_says_who_it_is(wire):
    assert [value for _, value in wire.online] == [True]
    assert bool(wire.driver.device.unique_id) is wire.kind.tells_id
    assert wire.driver.device.name
    assert agrees(wire, wire.geometry)


def test_S67_O03_a_board_that_starts_slowly_is_asked_every_two_seconds_until_it_answers(name):
    asked_ms, sent = [], []
    greeting = KINDS[name].greeting

    def into_the_void(data):
        sent.append(data)
        asked_ms.extend([wire.now_ms] * (bool(greeting) and greeting in data))
        return ()

    wire = wired(name, SMALL)
    wire.to_board, wire.to_host = into_the_void, lambda data: ()
    wire.start().run(7000)
    if greeting:
        assert [later - earlier for earlier, later in pairwise(asked_ms)] == [2000] * 3
    else:
        assert sent == []
    wire.to_board = wire.to_host = straight
    wire.run(3000)
    assert wire.is_online
    assert agrees(wire, SMALL)


def test_views_follow_the_world_within_a_second(wire):
    random, cells, most = Random(1), wire.geometry.cells, Counter(home_of(wire.geometry))
    for _ in range(30):
        stands = Counter(map(wire.board.contents, cells))
        piece = random.choice([EMPTY, *(man for man in (WHITE_MAN, BLACK_MAN) if stands[man] < most[man])])
        wire.board.put(random.choice(cells), piece, wire.now_ms)
        wire.run(wire.kind.view_ms)
        assert agrees(wire, wire.geometry)


def test_views_come_only_when_something_changed(wire):
    before = len(wire.views)
    wire.run(20_000)
    assert len(wire.views) == before
    assert all(one[1] != next_one[1] for one, next_one in zip(wire.views, wire.views[1:], strict=False))


def test_cues_light_the_lamps_and_only_those(wire):
    for cues in (((0, Role.LIFT), (9, Role.PLACE)), ((9, Role.PLACE),), tuple((n, r) for n, r in enumerate(Role)), ()):
        wire.show(cues)
        wire.run(wire.kind.lamps_ms)
        plain = wire.which in wire.kind.plain
        expected = {wire.geometry.cells[square]: "lit" if plain else str(role) for square, role in cues}
        lit = {
            cell: role
            for cell, role in wire.board.lamps(wire.now_ms).items()
            if wire.geometry.square_at(*cell) is not None
        }
        assert lit == (expected if wire.driver.device.lamps else {})


def test_silence_is_told_and_ends(wire):
    wire.connected = False
    wire.run(1000)
    assert wire.is_online
    wire.run(4000)
    assert not wire.is_online
    wire.board.take(wire.geometry.cells[0], wire.now_ms)
    wire.run(10_000)
    wire.connected = True
    before = len(wire.views)
    wire.run(5000)
    assert wire.is_online
    assert len(wire.views) > before, "the first view after an outage is always delivered"
    assert agrees(wire, wire.geometry)


def test_a_restarted_conversation_delivers_again(wire):
    before = len(wire.views)
    wire.start().run(3000)
    assert wire.is_online
    assert len(wire.views) > before
    assert agrees(wire, wire.geometry)


def test_a_restarted_board_is_read_again(wire):
    wire.board.power_cycle(wire.now_ms)
    wire.board.take(wire.geometry.cells[1], wire.now_ms)
    wire.run(7000)
    assert wire.is_online
    assert agrees(wire, wire.geometry)


def test_random_bytes_never_raise_and_the_next_good_ones_are_read(wire):
    random = Random(5)
    for _ in range(300):
        wire._host(wire.driver.receive(random.randbytes(random.randint(0, 200)), wire.now_ms))
        wire.run(random.randint(0, 300))
    wire.run(8000)
    assert wire.is_online
    assert agrees(wire, wire.geometry)
    assert wire.driver.counters.dropped > 0


def test_bytes_one_at_a_time_and_doubled_do_no_harm(wire):
    wire.to_host = lambda data: tuple(bytes((byte,)) for byte in data)
    wire.board.take(wire.geometry.cells[0], wire.now_ms)
    wire.run(1000)
    assert agrees(wire, wire.geometry)
    wire.to_host = lambda data: (data, data)
    wire.board.take(wire.geometry.cells[1], wire.now_ms)
    wire.run(4000)
    wire.to_host = lambda data: (data,)
    wire.run(4000)
    assert agrees(wire, wire.geometry)


@pytest.mark.parametrize("fault", ["flipped", "lost", "doubled", "extra"])
def test_bytes_spoilt_at_one_percent_never_give_a_firm_view_of_a_board_that_never_stood(wire, fault):
    """Both ways, while hands are at work; when the line is clean again, all that stands there is seen."""
    chance, cells = Random(9), wire.geometry.cells
    stood, wrong = [list(map(wire.board.contents, cells))], []

    def spoilt(data):
        out = bytearray()
        for byte in data:
            hit = chance.random() < 0.01
            flip = 1 << chance.randrange(8) if hit and fault == "flipped" else 0
            out += bytes((byte ^ flip,)) * (0 if hit and fault == "lost" else 2 if hit and fault == "doubled" else 1)
            out += chance.randbytes(hit and fault == "extra")
        return (bytes(out),)

    wire.to_host = wire.to_board = spoilt
    for _ in range(40):
        here = stood[-1]
        source = chance.choice([square for square, piece in enumerate(here) if piece is not EMPTY])
        target = chance.choice([square for square, piece in enumerate(here) if piece is EMPTY])
        for square, piece in ((source, EMPTY), (target, here[source])):
            stood.append([*stood[-1]])
            stood[-1][square] = piece
            wire.board.put(cells[square], piece, wire.now_ms)
            seen = len(wire.views)
            wire.run(chance.randint(100, 1500))
            wrong += [view for _, view in wire.views[seen:] if view.firm and not _stood(view, stood[-40:])]
    assert wrong == []
    wire.to_host = wire.to_board = straight
    wire.run(12_000)
    assert wire.is_online
    assert agrees(wire, wire.geometry)


def _stood(view, boards):
    return any(all(view.possible(square) & piece for square, piece in enumerate(board)) for board in boards)


def test_the_module_does_no_io_and_knows_no_other_driver(name):
    assert _imports(FOLDER / "boards" / f"{name}.py") <= {
        "__future__",
        "collections",
        "dataclasses",
        "enum",
        "json",
        "typing",
        "engine",
        "firmware_bridge",
    }
    others = {f"firmware_bridge.boards.{other}" for other in DRIVERS if other != name}
    assert not others & _modules(FOLDER / "boards" / f"{name}.py")


def _modules(path: Path) -> set[str]:
    modules = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            modules |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return modules


def _imports(path: Path) -> set[str]:
    return {module.split(".")[0] for module in _modules(path)}
