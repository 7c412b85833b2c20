"""The simulated boards: independent of the drivers, cheap, and true to what real ones do."""

from __future__ import annotations

import ast
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN
from firmware_bridge import simulator
from firmware_bridge.simulator import PRESETS, DgtBoard, Faults, MatrixBoard, device_for

FOLDER = Path(simulator.__file__).parent
MEANT = {"gpio_board": ("firmware_bridge.gpio", "firmware_bridge.pins")}
"""Wires have no codec: what is simulated are they, and what reads real pins reads them."""


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_the_simulator_shares_no_code_with_the_host_side(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("firmware_bridge"):
            allowed = ("firmware_bridge.simulator", *MEANT.get(path.stem, ()))
            assert node.module.startswith(allowed), node.module
        if isinstance(node, ast.Import):
            assert not any(alias.name.startswith("firmware_bridge") for alias in node.names)


def test_an_unknown_driver_is_an_error():
    with pytest.raises(ValueError, match="abacus"):
        device_for("abacus", 8, 8)


def test_presets_get_worse():
    clean, normal, worn, bad = (PRESETS[name] for name in ("clean", "normal", "worn", "bad"))
    assert clean == PRESETS["none"] == Faults()
    assert normal.lost_byte < bad.lost_byte
    assert 0 < worn.marginal_piece < bad.marginal_piece == 0.06
    assert bad.flips_per_minute == 10 * worn.flips_per_minute > 0
    assert (worn.dead_squares, bad.dead_squares) == (0, 1)


def changes(board, until_ms):
    """When the board tells of another state, and which cells it tells of, over a time; one bit a cell."""
    seen, told = [], None
    for at_ms in range(0, until_ms, 5):
        board.tick(at_ms)
        if (levels := bytes(board._levels)) != told:
            seen.append((at_ms, levels))
            told = levels
    return seen


def test_matrix_a_marginal_piece_drops_out_for_a_moment_every_few_seconds():
    board = MatrixBoard(8, 8, seed=3, faults=Faults(marginal_piece=1.0))
    board.put((3, 3), WHITE_MAN, 0)
    seen = changes(board, 200_000)[2:]
    gone = [(at_ms, after - at_ms) for (at_ms, levels), (after, _) in pairwise(seen) if not any(levels)]
    assert 30 < len(gone) < 90
    assert all(25 <= lasted <= 75 for _, lasted in gone)
    board.take((3, 3), 200_000)
    assert len(changes(board, 60_000)) <= 1


def test_matrix_flips_show_now_and_then_what_is_not_there():
    board = MatrixBoard(8, 8, seed=3, faults=Faults(flips_per_minute=6.0))
    board.put((3, 3), WHITE_MAN, 0)
    seen = changes(board, 600_000)[2:]
    phantoms = [levels for _, levels in seen if sum(levels) != 1 or not levels[3 * 8 + 3]]
    assert 35 < len(phantoms) < 90
    assert all(25 <= after - at_ms <= 95 for (at_ms, told), (after, _) in pairwise(seen) if sum(told) != 1)


def test_matrix_a_ghost_stands_beside_a_contact():
    board = MatrixBoard(8, 8, seed=3, faults=Faults(ghost=1.0))
    board.put((3, 3), WHITE_MAN, 0)
    seen = {index for _, levels in changes(board, 1000) for index, level in enumerate(levels) if level}
    assert len(seen) == 2
    (ghost,) = seen - {3 * 8 + 3}
    assert max(abs(ghost % 8 - 3), abs(ghost // 8 - 3)) == 1
    assert sum(board._levels) == 1


@pytest.mark.parametrize("seed", range(30))
def test_matrix_worn_contacts_settle_all_the_same(seed):
    board = MatrixBoard(8, 8, seed=seed, faults=replace(PRESETS["worn"], marginal_piece=0.0, flips_per_minute=0.0))
    board.put((3, 3), WHITE_MAN, 0)
    seen = changes(board, 500)
    assert seen[-1][1][3 * 8 + 3] == 1
    assert seen[-1][0] <= 30 + 120 + 35


def test_a_dead_square_reads_empty_on_any_board():
    matrix, dgt = MatrixBoard(8, 8, faults=PRESETS["bad"], seed=4), DgtBoard(8, 8, faults=PRESETS["bad"], seed=4)
    for board in (matrix, dgt):
        board.break_sensor((1, 0))
        board.put((1, 0), WHITE_MAN, 0)
        assert board.contents((1, 0)) is WHITE_MAN
        for at_ms in range(0, 30_000, 20):
            board.tick(at_ms)
            assert (board._levels if board is matrix else board._scanner.read)[1] == 0


def test_dgt_a_marginal_piece_is_missed_by_one_scan_in_fifty():
    board = DgtBoard(8, 8, seed=5, faults=Faults(marginal_piece=1.0))
    board.put((3, 3), WHITE_MAN, 0)
    scans = [(board.tick(at_ms), board._scanner.read[3 * 8 + 3])[1] for at_ms in range(300, 225 * 4000, 225)]
    assert 0.012 < scans.count(0) / len(scans) < 0.03


def test_dgt_flips_last_one_scan():
    board = DgtBoard(8, 8, seed=5, faults=Faults(flips_per_minute=6.0))
    board.put((3, 3), WHITE_MAN, 0)
    right = [1 if field == 3 * 8 + 3 else 0 for field in range(64)]
    scans = [(board.tick(at_ms), list(board._scanner.read))[1] for at_ms in range(300, 600_000, 225)]
    spoilt = [number for number, scan in enumerate(scans) if scan != right]
    assert 35 < len(spoilt) < 90
    assert sum(b - a == 1 for a, b in pairwise(spoilt)) < 10


def talk(board: DgtBoard, command: int, now_ms: int, wait_ms: int = 300) -> bytes:
    return board.receive(bytes((command,)), now_ms) + board.tick(now_ms + wait_ms)


DGT_ANSWERS = (
    (0x40, ""),
    (0x41, "8d000a 00050000050011"),
    (0x42, "860043" + "00" * 64),
    (0x43, ""),
    (0x44, ""),
    (0x45, "910008" + b"10247".hex()),
    (0x46, "900005 5007"),
    (0x47, "92001a" + b"DAMBORD SIMULATED BOARD".hex()),
    (0x4A, ""),
    (0x4B, ""),
    (0x4C, "a0000c 5a7f7f010200000002"),
    (0x4D, "9300050102"),
    (0x55, "a2000d" + b"0000010247".hex()),
    (0x7F, ""),
    (0x81, ""),
)


@pytest.mark.parametrize(("command", "answer"), DGT_ANSWERS)
def test_dgt_commands_are_answered(command, answer):
    assert talk(DgtBoard(8, 8), command, 0) == bytes.fromhex(answer)


def test_dgt_half_boards_are_answered_on_large_boards_only():
    large, small = DgtBoard(10, 10), DgtBoard(8, 8)
    large.put((1, 0), BLACK_MAN, 0)
    large.put((0, 0), WHITE_MAN, 0)
    large.tick(300)
    assert talk(large, 0x50, 400) == bytes.fromhex("940035 04" + "00" * 49)
    assert talk(large, 0x52, 800) == bytes.fromhex("950035 01" + "00" * 49)
    assert talk(small, 0x50, 0) == b""


def test_dgt_field_updates_are_sent_in_update_modes_only():
    for mode, expected in ((0x40, b""), (0x44, bytes.fromhex("8e00050001")), (0x4B, bytes.fromhex("8e00050001"))):
        board = DgtBoard(8, 8)
        talk(board, mode, 0)
        board.put((0, 0), WHITE_MAN, 400)
        assert board.tick(700) == expected


def test_dgt_codes_and_turned_fields():
    for codes, expected in (
        ("draughts-2011", "0107040a"),
        ("draughts-old", "0104070a"),
        ("chess-pawns", "0106070c"),
    ):
        board = DgtBoard(8, 8, codes=codes, rotated=True)
        for column, piece in enumerate((WHITE_MAN, WHITE_KING, BLACK_MAN, BLACK_KING)):
            board.put((7 - column, 7), piece, 0)
        assert talk(board, 0x42, 300)[3:7] == bytes.fromhex(expected)
        assert board.contents((7, 7)) is WHITE_MAN


def test_dgt_a_piece_may_be_seen_twice_or_never_gone():
    board = DgtBoard(8, 8)
    board.put((7, 7), WHITE_MAN, 0)
    talk(board, 0x4B, 300)
    board.tick(900)
    board.take((7, 7), 910)
    board.put((0, 0), WHITE_MAN, 911)
    assert board.tick(1300) == bytes.fromhex("8e00053f00 8e00050001") or board.tick(1300) == b""
    board.take((0, 0), 1400)
    board.put((0, 0), WHITE_MAN, 1401)
    assert board.tick(2000) == b""


def test_dgt_input_holds_ten_bytes():
    board = DgtBoard(8, 8)
    out = board.receive(b"\x4d" * 15, 0) + board.tick(5000)
    assert out.count(b"\x93") == 10


def test_dgt_output_is_as_slow_as_its_wire():
    board = DgtBoard(10, 10)
    board.receive(b"\x42", 0)
    heard = b""
    while (due := board.deadline_ms()) is not None:
        heard += board.tick(due)
        assert len(heard) <= due * 0.96 + 1
    assert len(heard) == 103


def test_dgt_update_mode_tells_the_time_each_second():
    board = DgtBoard(8, 8)
    talk(board, 0x43, 0)
    assert board.tick(3100).count(b"\x8d\x00\x0a") == 3


def test_dgt_log_ends_with_what_happened():
    board = DgtBoard(10, 10)
    board.put((1, 0), BLACK_MAN, 1000)
    board.tick(1300)
    log = talk(board, 0x49, 2000, 20_000)
    assert len(log) == 7939
    assert log[:3] == bytes.fromhex("8f3e03")
    assert log[-4:] == bytes.fromhex("6a 44 01 6b")


def test_dgt_an_idle_board_costs_nothing():
    board = DgtBoard(10, 10)
    talk(board, 0x4B, 0)
    board.tick(10_000)
    assert board.deadline_ms() is None


def test_dgt_has_no_confirm_button():
    with pytest.raises(ValueError, match="confirm"):
        DgtBoard(8, 8).press("confirm", 0)


def test_matrix_repeats_its_state_at_its_period():
    board = MatrixBoard(10, 10, period_ms=500)
    out = [board.tick(at_ms) for at_ms in range(0, 5000, 10)]
    assert len([data for data in out if data]) == 10


@pytest.mark.parametrize("seed", range(30))
def test_matrix_contacts_settle_within_the_bounce_and_the_debounce(seed):
    board = MatrixBoard(8, 8, seed=seed, period_ms=100_000)
    board.tick(0)
    board.put((3, 3), WHITE_MAN, 1000)
    due = board.deadline_ms()
    assert due is not None
    assert 1050 <= due <= 1090


def test_matrix_chatter_passes_a_firmware_without_debounce():
    seen = 0
    for seed in range(20):
        board = MatrixBoard(8, 8, seed=seed, debounce_ms=2, period_ms=100_000)
        board.tick(0)
        board.put((3, 3), WHITE_MAN, 1000)
        seen += len([data for at_ms in range(1000, 1100) if (data := board.tick(at_ms))])
    assert seen > 40


def test_matrix_is_deterministic():
    def run(seed: int) -> bytes:
        board = MatrixBoard(8, 8, seed=seed, faults=PRESETS["bad"])
        return b"".join(board.tick(at_ms) for at_ms in range(0, 20_000, 10))

    assert run(1) == run(1)
    assert run(1) != run(2)


@pytest.mark.parametrize("driver", ["matrix", "dgt"])
def test_the_world_is_what_hands_made_it(driver):
    board = device_for(driver, 8, 8, rotated=True)
    board.put((1, 0), WHITE_KING, 0)
    assert board.contents((1, 0)) is WHITE_KING
    board.put((1, 0), EMPTY, 1)
    assert board.contents((1, 0)) is EMPTY
