"""House rules and drawn openings on a real service: read from its folder, told to the world, kept by the journal."""

from __future__ import annotations

from .record import once
from .station import BASE
from .test_commands import acks, ask
from .test_games import events, moves_told, phase

BOARD = f"{BASE}/table"
HOUSE = 'base = "russian"\ntitle = "Club draughts"\nsource = "rules of the club"\ncapture = "optional"\n'
LONG_CAPTURE = [
    {"from": "c3", "to": "d4", "path": ["d4"], "captured": [], "promotes": False},
    {"from": "b6", "to": "c5", "path": ["c5"], "captured": [], "promotes": False},
]
DECLINED = {"from": "g3", "to": "h4", "path": ["h4"], "captured": [], "promotes": False}
"""By the built-in rules White must capture d4 x b6 instead."""


def state(listener, messages=None):
    latest = listener.latest(f"{BOARD}/state", messages)
    return latest and latest.json


def test_a_house_rule_is_played_and_gone_on_with_after_its_file_is_gone(
    broker, listen, make_board, make_station, tmp_path
):
    (tmp_path / "variants").mkdir()
    house = tmp_path / "variants" / "club.toml"
    house.write_text(HOUSE)
    listener = listen()
    listener.subscribed()
    hands = make_board("table", "russian", seed=5)
    station = make_station({"table": hands}, broker.port, table={"variant": "club"})
    listener.wait(lambda messages: phase(listener, "table", "turn", messages), what="a turn")
    for move in (*LONG_CAPTURE, DECLINED):
        hands.play(move)
    moves_told(listener, "table", 3)
    told = [event for event in once(events(listener, "table")) if event["type"] == "move"]
    assert [(move["from"], move["to"], move["by"]) for move in told] == [
        ("c3", "d4", "person"),
        ("b6", "c5", "person"),
        ("g3", "h4", "person"),
    ]
    listener.wait(lambda messages: (now := state(listener, messages)) and now["ply"] == 3, what="ply 3")
    assert state(listener)["variant"] == "club"
    info = listener.latest(f"{BASE}/info").json
    assert "club" in info["variants"]
    assert "russian" in info["variants"]
    assert station.terminate()[0] == 0
    house.unlink()
    station.config.write_text(station.config.read_text().replace('"club"\n', '"russian"\n'))
    after = len(listener.on(f"{BOARD}/state"))
    station.start()
    listener.wait(
        lambda messages: len(listener.on(f"{BOARD}/state")) > after and phase(listener, "table", "turn", messages),
        20,
        "the same turn",
    )
    assert (state(listener)["variant"], state(listener)["ply"]) == ("club", 3)
    assert "Traceback" not in station.said()


def test_a_drawn_opening_is_set_up_and_told_as_drawn(broker, listen, make_board, make_station):
    listener = listen()
    listener.subscribed()
    hands = make_board("table", "russian", seed=6)
    make_station({"table": hands}, broker.port)
    listener.wait(lambda messages: phase(listener, "table", "turn", messages), what="a turn")
    ask(listener, "new_game", {"id": "wrong", "args": {"ballot": "english-3-move"}})
    assert "russian" in acks(listener, "wrong")[0].json["error"]
    ask(listener, "new_game", {"id": "drawn", "args": {"ballot": "russian-idf-745 moves"}})
    assert acks(listener, "drawn")[0].json["ok"]
    shown = listener.wait(lambda messages: phase(listener, "table", "setting_up", messages), what="an opening")
    assert shown["guidance"]["prompt"] == "set_up_opening"
    for _ in range(8):
        asked = listener.wait(lambda messages: _carried_out_or_to_do(state(listener, messages), hands), what="a step")
        if asked == "all done":
            break
        piece = hands.standing[asked["lift"]]
        hands.put(asked["lift"], None)
        if "place" in asked:
            hands.wait((0.2, 0.3))
            hands.put(asked["place"], piece)
    game = listener.wait(lambda messages: phase(listener, "table", "turn", messages), what="a turn")["game"]
    listener.wait(
        lambda _: any(event["game"] == game and event["type"] == "move" for event in events(listener, "table")),
        what="drawn moves",
    )
    told = [event for event in once(events(listener, "table")) if event["game"] == game]
    assert [event["type"] for event in told][:2] == ["game_started", "move"]
    assert told[0]["opening"].startswith("russian-idf-745 ")
    assert {event["by"] for event in told if event["type"] == "move"} == {"drawn"}
    listener.wait(
        lambda messages: (record := listener.latest(f"{BOARD}/game", messages)) and "Opening" in record.json["pdn"],
        what="the opening in the record",
    )


def _carried_out_or_to_do(state, hands):
    """The squares of an instruction that the hands have not carried out yet; `all done` where the opening stands."""
    if not state or state["phase"] != "setting_up":
        return "all done" if state else None
    lit = {role: square for square, role in state["guidance"]["squares"].items()}
    lifted = lit.get("lift", lit.get("remove"))
    if lifted not in hands.standing or lit.get("place") in hands.standing:
        return None
    return {"lift": lifted} | ({"place": lit["place"]} if "place" in lit else {})
