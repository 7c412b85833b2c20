"""The outbox: order, limit, how far each board has come, and answers that are given once."""

from __future__ import annotations

import resource

import pytest

from station.runtime.outbox import ANSWERS_KEPT, Item, Outbox, OutboxError


@pytest.fixture
def make_outbox(tmp_path):
    made = []

    def make(**options):
        made.append(Outbox(tmp_path / "deep" / "outbox.sqlite", **options))
        return made[-1]

    yield make
    for outbox in made:
        outbox.close()


def item(seq, board="b", game="g"):
    return Item(f"t/{board}", f"{game}-{seq}".encode(), board, game, seq)


def payloads(outbox, after=0, most=100):
    return [payload for _, _, payload in outbox.pending(after, most)]


def test_events_come_out_in_order_and_are_gone_when_sent(make_outbox):
    outbox = make_outbox()
    for seq in (1, 2, 3):
        outbox.put(item(seq))
    rows = outbox.pending(0)
    assert [payload for _, _, payload in rows] == [b"g-1", b"g-2", b"g-3"]
    assert [topic for _, topic, _ in rows] == ["t/b"] * 3
    outbox.sent(rows[0][0])
    outbox.sent(rows[0][0])
    assert payloads(outbox) == [b"g-2", b"g-3"]
    assert payloads(outbox, after=rows[1][0]) == [b"g-3"]
    assert payloads(outbox, most=1) == [b"g-2"]


def test_an_event_goes_in_once_for_each_board_and_game(make_outbox):
    outbox = make_outbox()
    for seq in (1, 2, 2, 1):
        outbox.put(item(seq))
    outbox.put(item(1, board="c"))
    outbox.put(item(1, game="h"))
    assert payloads(outbox) == [b"g-1", b"g-2", b"g-1", b"h-1"]
    assert outbox.reached("b") == ("h", 1)
    assert outbox.reached("c") == ("g", 1)
    assert outbox.reached("nobody") is None


def test_everything_survives_a_restart(make_outbox):
    outbox = make_outbox()
    outbox.put(item(1))
    assert outbox.is_new("ask")
    outbox.answer("ask", b"yes")
    again = make_outbox()
    again.put(item(1))
    again.put(item(2))
    assert payloads(again) == [b"g-1", b"g-2"]
    assert not again.is_new("ask")
    assert again.answered("ask") == b"yes"


def test_O32_beyond_the_limit_the_oldest_go_and_are_counted(make_outbox):
    outbox = make_outbox(limit=5)
    for seq in range(1, 9):
        outbox.put(item(seq))
    assert payloads(outbox) == [b"g-4", b"g-5", b"g-6", b"g-7", b"g-8"]
    assert outbox.dropped == 3
    outbox.sent(outbox.pending(0)[0][0])
    outbox.put(item(9))
    assert len(payloads(outbox)) == 5
    assert outbox.dropped == 3
    assert len(payloads(make_outbox(limit=5))) == 5


def test_an_answer_is_kept_for_the_latest_commands(make_outbox):
    outbox = make_outbox()
    assert outbox.is_new("first")
    assert not outbox.is_new("first")
    assert outbox.answered("first") is None
    for number in range(ANSWERS_KEPT):
        assert outbox.is_new(f"more-{number}")
    assert outbox.is_new("first")
    assert not outbox.is_new(f"more-{ANSWERS_KEPT - 1}")


def test_O52_a_file_that_is_no_database_is_set_aside(tmp_path, make_outbox):
    folder = tmp_path / "deep"
    folder.mkdir()
    (folder / "outbox.sqlite").write_bytes(b"\0" * 5000 + b"rubbish" * 500)
    outbox = make_outbox()
    outbox.put(item(1))
    assert payloads(outbox) == [b"g-1"]
    assert (folder / "outbox.sqlite.spoilt").exists()


def test_O53_a_full_disk_is_an_outbox_error_and_what_waited_goes_in_later(tmp_path, make_outbox):
    outbox = make_outbox()
    outbox.put(item(1))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OutboxError):
            outbox.put(Item("t", b"x" * 20_000, "b", "g", 2))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    outbox.put(item(2))
    assert payloads(outbox) == [b"g-1", b"g-2"]
    assert outbox.reached("b") == ("g", 2)
