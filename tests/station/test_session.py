"""A session as people meet it: every transition is walked, every request carried out or refused, nothing dead-ends."""

from __future__ import annotations

import pytest

from engine.notation import full_move_text
from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN, Move
from firmware_bridge.driver import Role
from station.announcements import (
    BoardDiffers,
    BoardRestored,
    DeviceGone,
    GameOver,
    GameStarted,
    Illegal,
    Moved,
    Revised,
)
from station.effects import Choose, Show
from station.events import PlayerChose, PlayerFailed, TimePassed
from station.guidance import guide
from station.phases import TRANSITIONS, Answering, Over, Paused, SettingUp, Turn, Waiting
from station.session import REQUESTS, deadline_ms
from station.settings import BLITZ, CALM

from .table import KINDS, Table, position_in

ENGINE = {"black": "engine:3"}
FEW = "W:Wc3,a1:Bb6,h8"


def against_engine(**more):
    """White has moved, the engine is asked."""
    table = Table(**ENGINE, **more)
    table.play("c3-d4")
    assert table.phase == "Waiting"
    return table


def answering(shown=True, score=None, **more):
    """The engine has chosen b6-a5, and it is to be made on the board."""
    table = against_engine(**more)
    table.choose("b6-a5", score=score)
    table.wait(CALM.choice_hold if shown else 0)
    assert table.phase == "Answering"
    return table


def last_move(**settings):
    """White takes the last black man next."""
    return Table(fen="W:Wc3:Bd4", **settings)


def over(**settings):
    table = last_move(**settings)
    table.play("c3:e5")
    assert table.phase == "Over"
    return table


def undo(table):
    """The last move is undone by hand."""
    table.stand(table.session.game.positions[-2].contents)
    table.wait(2500)


def lose_or_pause(table, other):
    """The device is lost; on another table somebody asks for a pause."""
    table.lose()
    assert other.ask("pause") is None
    assert table.phase == other.phase == "Paused"
    return table


def set_up(**settings):
    """The start position is still to be set up."""
    table = Table(**settings)
    table.take("a1")
    assert table.ask("new_game") is None
    assert table.phase == "SettingUp"
    return table


def by_three_ways(make):
    """Takeback and new game by request, and the start position on the board: each leads to setting up."""
    taken, new, start = make(), make(), make()
    assert taken.ask("take_back") is None
    assert new.ask("new_game") is None
    assert new.phase == "SettingUp"
    start.stand(start.session.game.start.contents)
    start.wait(3500)
    assert start.record == []
    return taken


def resigned_or_drawn(make):
    """Two people agree at once, an engine when it has thought and thinks that it does not win."""
    first, second = make(), make()
    assert first.ask("resign", side="black") is None
    assert second.ask("draw") is None
    if second.phase == "Waiting":
        second.choose("b6-a5", score=0)
    assert first.phase == second.phase == "Over"
    return first


def resumed(table):
    table.lose()
    table.regain()
    table.wait(200)
    asked = Table()
    asked.ask("pause")
    asked.ask("resume")
    assert asked.phase == table.phase == "Turn"
    return table


def played(table, text):
    table.play(text)
    return table


def undone(table):
    undo(table)
    return table


def changed(table):
    """The last move, c3-d4, is changed to c3-b4."""
    table.take("d4")
    table.put("c3", WHITE_MAN)
    table.take("c3")
    table.put("b4", WHITE_MAN)
    table.wait(500)
    assert "c3-d4 -> c3-b4" in table.story
    return table


def replied(table):
    table.move("b6-a5")
    table.wait(500)
    return table


def chose(table):
    table.choose("b6-a5")
    return table


def restart(table):
    assert table.ask("new_game") is None
    return table


def both_engines():
    """Two players who are not at the board; the first has been asked."""
    table = Table(white="engine:1", black="engine:1")
    table.choose("c3-d4")
    table.wait(1000)
    return table


def composing(table):
    """A position is to be set up by hand."""
    assert table.ask("set_position") is None
    assert table.phase == "Composing"
    return table


def asked_or_emptied(make):
    """Set-up by hand is asked for by a long press; on another table all pieces are taken off."""
    asked, emptied = make(), make()
    asked.press("set_up")
    assert asked.phase == "Composing"
    emptied.stand([EMPTY] * len(emptied.stands))
    emptied.wait(3500)
    return emptied


def accepted(table):
    """Three men stand, the button is pressed for the pieces and for the turn."""
    table.stand(position_in("russian", "W:Wc3,e3:Bd6").contents)
    table.press("confirm")
    table.press("confirm")
    return table


def left_by_two_ways():
    """Somebody gives the set-up up; on another table the game's position is put back on the emptied board."""
    left, restored = composing(Table()), Table()
    left.wait(500)
    assert left.ask("set_position", step="leave") is None
    stood = list(restored.stands)
    restored.stand([EMPTY] * len(stood))
    restored.wait(3500)
    assert restored.phase == "Composing"
    restored.stand(stood)
    restored.wait(1500)
    assert left.phase == restored.phase == "Turn"
    return restored


def last_reply():
    table = Table(fen="W:Wc3:Bd4", white="engine:1")
    table.choose("c3:e5")
    table.wait(1000)
    table.move("c3:e5")
    table.wait(500)
    return table


WALKS = {
    ("SettingUp", "the board shows the target, a person is to move"): lambda: set_right(set_up()),
    ("SettingUp", "the board shows the target, another player is to move"): lambda: set_right(set_up(white="engine:1")),
    ("SettingUp", "new game or take back asked for"): lambda: restart(set_up()),
    ("SettingUp", "a position is to be set up by hand"): lambda: composing(set_up()),
    ("SettingUp", "device lost, or pause asked for"): lambda: lose_or_pause(set_up(), set_up()),
    ("Turn", "move made, a person is to move"): lambda: played(Table(), "c3-d4"),
    ("Turn", "move made, another player is to move"): lambda: played(Table(**ENGINE), "c3-d4"),
    ("Turn", "move made, game ended"): lambda: played(last_move(), "c3:e5"),
    ("Turn", "moves taken back on the board"): lambda: undone(played(Table(), "c3-d4")),
    ("Turn", "moves taken back on the board, another player is to move"): lambda: undone(replied(answering())),
    ("Turn", "take back, new game or start position"): lambda: by_three_ways(lambda: played(Table(), "c3-d4")),
    ("Turn", "resignation or agreed draw"): lambda: resigned_or_drawn(Table),
    ("Turn", "a position is to be set up by hand, or the board was emptied"): lambda: asked_or_emptied(Table),
    ("Turn", "device lost, or pause asked for"): lambda: lose_or_pause(Table(), Table()),
    ("Waiting", "player chose"): lambda: chose(against_engine()),
    ("Waiting", "last move changed on the board"): lambda: changed(against_engine()),
    ("Waiting", "moves taken back on the board"): lambda: undone(against_engine()),
    ("Waiting", "take back, new game or start position"): lambda: by_three_ways(against_engine),
    ("Waiting", "resignation or agreed draw"): lambda: resigned_or_drawn(lambda: against_engine(fen=FEW)),
    ("Waiting", "a position is to be set up by hand, or the board was emptied"): lambda: asked_or_emptied(
        against_engine
    ),
    ("Waiting", "device lost, or pause asked for"): lambda: lose_or_pause(against_engine(), against_engine()),
    ("Answering", "reply made on the board, a person is to move"): lambda: replied(answering()),
    ("Answering", "reply made on the board, another player is to move"): lambda: played(both_engines(), "c3-d4"),
    ("Answering", "reply made on the board, game ended"): last_reply,
    ("Answering", "last move changed on the board"): lambda: changed(answering(shown=False)),
    ("Answering", "moves taken back on the board"): lambda: undone(answering()),
    ("Answering", "take back, new game or start position"): lambda: by_three_ways(answering),
    ("Answering", "resignation or agreed draw"): lambda: resigned_or_drawn(lambda: answering(score=0, fen=FEW)),
    ("Answering", "a position is to be set up by hand, or the board was emptied"): lambda: asked_or_emptied(answering),
    ("Answering", "device lost, or pause asked for"): lambda: lose_or_pause(answering(), answering()),
    ("Composing", "position accepted, or take back, new game or start position"): lambda: accepted(composing(Table())),
    ("Composing", "given up, or the game's position stands again"): left_by_two_ways,
    ("Composing", "resignation or agreed draw"): lambda: resigned_or_drawn(lambda: composing(Table())),
    ("Composing", "device lost, or pause asked for"): lambda: lose_or_pause(composing(Table()), composing(Table())),
    ("Paused", "device back, or resume asked for"): lambda: resumed(Table()),
    ("Paused", "new game asked for"): lambda: restart(lose_or_pause(Table(), Table())),
    ("Paused", "resignation or agreed draw"): lambda: resigned_or_drawn(lambda: lose_or_pause(Table(), Table())),
    ("Over", "new game asked for, or start position stands"): lambda: restart(over()),
    ("Over", "last move taken back on the board"): lambda: undone(over()),
    ("Over", "a position is to be set up by hand, or the board was emptied"): lambda: asked_or_emptied(over),
    ("Over", "device lost, or pause asked for"): lambda: lose_or_pause(over(), over()),
}


def set_right(table):
    table.put("a1", WHITE_MAN)
    table.wait(1000)
    return table


def test_the_walks_are_the_table():
    assert set(WALKS) == {(phase, why) for phase, ways in TRANSITIONS.items() for why, _ in ways}


@pytest.mark.parametrize(("phase", "why"), WALKS)
def test_every_transition_is_walked(phase, why):
    wanted = dict(TRANSITIONS[phase])[why]
    table = WALKS[phase, why]()
    if wanted == "the phase that was interrupted":
        wanted = "Turn"
    if (phase, wanted) == ("Paused", "SettingUp") and table.phase == "Paused":
        assert isinstance(table.session.phase.interrupted, SettingUp)
    elif (phase, wanted) == ("Paused", "Over"):
        assert isinstance(table.session.active, Over)
    else:
        assert table.phase == wanted


# --- requests ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "arguments", "refusal"),
    [
        ("dance", {}, "no such request"),
        ("new_game", {"variant": "chess"}, "expected one of"),
        ("new_game", {"variant": "international"}, "32 squares"),
        ("new_game", {"black": "engine:11"}, "engine:1 to engine:10"),
        ("new_game", {"white": "hub:"}, "expected person"),
        ("new_game", {"start_fen": "nonsense"}, "start_fen"),
        ("take_back", {}, "expected 1 to 0"),
        ("take_back", {"plies": 3}, "expected 1 to 0"),
        ("take_back", {"plies": "one"}, "expected 1 to 0"),
        ("take_back", {"plies": True}, "expected 1 to 0"),
        ("resign", {"side": "green"}, "white or black"),
        ("resume", {}, "not paused"),
        ("choose", {}, "look alike"),
        ("choose", {"number": "two"}, "look alike"),
        ("choose", {"number": True}, "look alike"),
    ],
)
def test_a_request_that_cannot_be_carried_out_says_why_and_changes_nothing(name, arguments, refusal):
    table = Table()
    before = table.session
    error = table.ask(name, **arguments)
    assert error is not None
    assert refusal in error
    assert table.session == before


def test_requests_that_are_known():
    assert set(REQUESTS) == {
        "new_game",
        "take_back",
        "resign",
        "draw",
        "flag",
        "pause",
        "resume",
        "choose",
        "confirm",
        "adjust",
        "set_play",
        "set_players",
        "set_variant",
        "hint",
        "lamps",
        "set_position",
        "halt",
        "arm",
    }


def test_requests_that_come_twice():
    table = over()
    assert table.ask("resign") == "no game is being played"
    assert table.ask("draw") == "no game is being played"
    paused = Table()
    assert paused.ask("pause") is None
    assert paused.ask("pause") == "paused already"
    lost = Table()
    lost.lose()
    assert lost.ask("resume") == "not paused"


def test_a_new_game_of_another_variant_with_other_players():
    table = Table()
    table.play("c3-d4")
    assert table.ask("new_game", variant="brazilian", white="engine:2") is None
    assert [what.result for what in table.heard_of(GameOver)] == ["*"]
    table.stand(table.session.game.start.contents)
    table.wait(1000)
    assert table.session.game.ruleset.name == "brazilian"
    assert table.phase == "Waiting"
    (started,) = table.heard_of(GameStarted)
    assert (started.variant, started.white) == ("brazilian", "engine:2")


def test_take_back_by_button_goes_back_to_the_persons_turn_and_the_board_is_set_right():
    table = replied(answering())
    table.press("take_back")
    assert table.record == []
    assert isinstance(table.session.phase, SettingUp)
    assert table.guidance.key == "set_up"
    table.stand(table.session.game.position.contents)
    table.wait(1000)
    assert table.phase == "Turn"


def test_take_back_while_the_engine_thinks_stops_it():
    table = against_engine()
    assert table.ask("take_back") is None
    assert table.stopped == table.chosen
    assert table.record == []


def test_new_game_by_button():
    table = Table()
    table.take("c3")
    table.press("new_game")
    assert table.phase == "SettingUp"
    table.put("c3", WHITE_MAN)
    table.wait(1000)
    assert table.phase == "Turn"
    assert table.session.game_id == "boot-2"


def test_an_unknown_button_does_nothing():
    table = Table()
    before = table.session
    table.press("red")
    assert table.session == before


# --- players that are not at the board -----------------------------------------------------------------------------


def test_a_late_answer_is_ignored_by_its_number():
    table = against_engine()
    (asked,) = table.chosen
    changed(table)
    assert table.stopped == [asked]
    table.choose("b6-a5", request=asked)
    assert table.phase == "Waiting"
    table.choose("b6-a5")
    assert table.phase == "Answering"


def test_an_illegal_choice_is_refused_and_said():
    table = against_engine()
    table.send(PlayerChose(table.now, table.session.request, Move(0, (31,))))
    assert table.phase == "Paused"
    assert table.session.problem
    assert table.record == ["c3-d4"]
    assert table.ask("resume") is None
    assert table.phase == "Waiting"
    table.choose("b6-a5")
    assert table.phase == "Answering"


def test_a_player_that_fails_is_asked_again_under_a_new_number():
    table = against_engine()
    table.send(PlayerFailed(table.now, table.session.request, "crashed"))
    first, second = table.chosen
    assert second == first + 1
    assert table.session.problem == "crashed"
    table.send(PlayerFailed(table.now, first, "crashed"))
    assert table.chosen == [first, second]


def test_a_choice_made_while_the_game_is_paused_is_kept():
    table = against_engine()
    request = table.session.request
    table.ask("pause")
    assert table.stopped == [request]
    table.choose("b6-a5", request=request)
    assert table.phase == "Paused"
    table.ask("resume")
    assert table.phase == "Answering"


def test_the_reply_is_shown_after_the_hold():
    table = Table(**ENGINE)
    table.move("c3-d4")
    table.wait(CALM.quick)
    assert table.phase == "Waiting"
    table.choose("b6-a5")
    assert table.guidance.key == "thinking"
    table.wait(CALM.choice_hold)
    assert table.guidance.key == "reply"
    roles = dict(table.guidance.cues)
    assert roles == {table.square("b6"): Role.LIFT, table.square("a5"): Role.PLACE}
    assert table.effects[-1] == Show(table.guidance.cues)


def test_a_reply_is_not_shown_while_the_move_it_answers_is_in_the_hand_again():
    table = Table(**ENGINE)
    table.move("c3-d4")
    table.wait(CALM.quick)
    table.choose("b6-a5")
    table.wait(CALM.choice_hold - 2 * table.pause_ms)
    table.take("d4")
    table.wait(1000)
    assert table.guidance.key != "reply"
    table.put("b4", WHITE_MAN)
    table.wait(CALM.quick)
    assert [what.new.text for what in table.heard_of(Revised)] == ["c3-b4"]
    assert not [effect for effect in table.effects if isinstance(effect, Show) and effect.cues]


def test_a_reply_that_was_held_on_is_shown_once_the_piece_stands_again():
    table = Table(**ENGINE)
    table.move("c3-d4")
    table.wait(CALM.quick)
    table.choose("b6-a5")
    table.wait(CALM.choice_hold - 2 * table.pause_ms)
    table.take("d4")
    table.wait(500)
    table.put("d4", WHITE_MAN)
    table.wait(CALM.quick)
    assert table.guidance.key == "reply"


def test_a_reply_to_a_move_that_had_no_other_square_is_held_for_a_shorter_time():
    table = Table(fen="W:Wa3,h2:Bb8,h8", **ENGINE)
    table.move("a3-b4")
    table.wait(CALM.quick)
    table.choose("b8-a7")
    table.wait(CALM.reply_hold - 1)
    assert table.guidance.key == "thinking"
    table.wait(1)
    assert table.guidance.key == "reply"


def test_a_reply_is_carried_out_step_by_step():
    table = Table(fen="W:Wc3,h2:Bd4,f6,b8,h8", white="engine:1")
    table.choose("c3:e5:g7")
    table.wait(1000)
    assert dict(table.guidance.cues)[table.square("c3")] is Role.LIFT
    table.take("c3")
    assert table.square("c3") not in dict(table.guidance.cues)
    table.put("g7", WHITE_MAN)
    assert table.guidance.key == "reply_remove"
    assert set(table.guidance.cues) == {(table.square("d4"), Role.REMOVE), (table.square("f6"), Role.REMOVE)}
    table.take("f6")
    assert table.guidance.cues == ((table.square("d4"), Role.REMOVE),)
    table.take("d4")
    table.wait(500)
    assert table.phase == "Turn"
    (moved,) = table.heard_of(Moved)
    assert moved.by == "engine"


def test_a_reply_made_wrongly_is_guided_back():
    table = answering()
    table.take("b6")
    table.put("c5", BLACK_MAN)
    table.wait(1500)
    assert table.phase == "Answering"
    assert table.guidance.key == "differs"
    assert dict(table.guidance.cues) == {table.square("c5"): Role.LIFT, table.square("a5"): Role.PLACE}
    table.take("c5")
    table.put("a5", BLACK_MAN)
    table.wait(500)
    assert table.record == ["c3-d4", "b6-a5"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_reply_and_the_own_move_at_once(kind):
    """Made so fast that only the last frame is seen."""
    table = answering(kind=kind)
    table.move("b6-a5")
    table.wait(500)
    table.play("b2-c3")
    assert table.record == ["c3-d4", "b6-a5", "b2-c3"]
    together = answering(kind=kind)
    together.stand(table.stands)
    together.wait(1500)
    assert together.record == ["c3-d4", "b6-a5", "b2-c3"]
    assert together.phase == "Waiting"


def test_another_move_than_the_reply_is_not_taken_for_it():
    table = answering()
    table.stands[table.square("f6")], table.stands[table.square("g5")] = EMPTY, BLACK_MAN
    table.look()
    table.wait(5000)
    assert table.record == ["c3-d4"]
    assert table.phase == "Answering"


# --- the device ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [Table, against_engine, answering, over, set_up], ids=lambda make: make.__name__)
def test_the_device_may_be_lost_in_every_phase_and_the_game_goes_on(make):
    table = make()
    before = table.session.phase
    table.lose()
    table.lose()
    assert len(table.heard_of(DeviceGone)) == 1
    assert isinstance(table.session.phase, Paused)
    assert table.guidance.key == "lost"
    assert deadline_ms(table.session) is None
    table.regain()
    after = table.session.phase
    assert type(after) is type(before)
    if isinstance(before, Waiting):
        assert after.request == before.request + 1
        assert isinstance(table.effects[-1] if table.effects else None, Choose | Show)


def test_the_device_may_be_lost_while_paused_and_come_back():
    table = Table()
    table.ask("pause")
    table.lose()
    assert table.session.phase == Paused(Turn(), "device", "asked")
    table.regain()
    assert table.session.phase == Paused(Turn(), "asked")
    assert table.ask("resume") is None
    assert table.phase == "Turn"


def test_a_move_made_while_the_device_was_away_is_read_when_it_is_back():
    table = Table()
    table.lose()
    table.stands[table.square("c3")], table.stands[table.square("d4")] = EMPTY, WHITE_MAN
    table.regain()
    table.wait(1000)
    assert table.record == ["c3-d4"]


def test_before_the_board_is_found_it_is_searched_for():
    table = Table(ready=False)
    assert table.guidance.key == "searching"
    assert deadline_ms(table.session) is None


# --- how a move is ended -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("button", ["confirm", "clock_white"])
def test_a_move_is_ended_by_button_or_clock(button):
    table = Table(confirm="button")
    table.move("c3-d4")
    table.wait(5000)
    assert table.record == []
    assert table.guidance.key == "confirm"
    table.press("clock_black")
    assert table.record == []
    table.press(button)
    assert table.record == ["c3-d4"]


def test_a_button_ends_a_move_at_once_in_automatic_play():
    table = Table()
    table.move("c3-d4")
    table.press("confirm")
    assert table.record == ["c3-d4"]


def test_a_button_without_a_finished_move_does_nothing():
    table = Table()
    table.take("c3")
    table.press("confirm")
    assert table.record == []


def test_an_extendable_move_waits_longer():
    table = Table(fen="W:WKa1:Bb8,d8")
    table.take("a1")
    table.put("c3", WHITE_KING)
    table.wait(CALM.extended - 10)
    assert table.record == []
    table.wait(10)
    assert table.record == ["a1-c3"]


def test_moves_that_look_alike_are_asked_about_and_chosen_by_number():
    table = Table()
    table.unknown = {table.square("b4"), table.square("d4")}
    table.take("c3")
    table.wait(2000)
    assert table.record == []
    assert table.guidance.key == "which"
    assert table.story == ["prompt: which"]
    number = 1 + ["c3-b4", "c3-d4"].index("c3-d4")
    assert table.ask("choose", number=3) is not None
    assert table.ask("choose", number=number) is None
    assert table.record == ["c3-d4"]


# --- the last move -------------------------------------------------------------------------------------------------


def test_a_move_changed_before_the_reply_asks_the_engine_again():
    table = changed(against_engine())
    assert table.record == ["c3-b4"]
    assert table.chosen == [1, 2]


def test_the_first_man_moved_is_put_back_and_taken_back():
    table = Table()
    table.play("c3-d4", "b6-a5")
    undo(table)
    assert table.story[-1] == "back 1"
    assert table.record == ["c3-d4"]


def test_older_positions_are_taken_back_to_as_far_as_the_pieces_say():
    table = Table()
    table.play("c3-d4", "b6-a5", "b2-c3")
    table.stand(table.session.game.positions[1].contents)
    table.wait(CALM.further_back + 100)
    assert table.record == ["c3-d4"]
    assert table.story[-1] == "back 2"


def test_a_game_over_is_taken_back_on_the_board():
    table = over()
    (end,) = table.heard_of(GameOver)
    assert (end.result, end.reason) == ("2-0", "no piece is left")
    undo(table)
    assert table.phase == "Turn"
    assert table.record == []


def test_the_start_position_in_a_game_begins_a_new_one_and_after_a_game_at_once():
    table = Table()
    table.play("c3-d4", "b6-a5", "b2-c3", "c7-b6", "a1-b2")
    table.stand(table.session.game.start.contents)
    table.wait(CALM.start_again - 200)
    assert len(table.record) == 5
    table.wait(1000)
    assert table.record == []
    assert table.session.game_id == "boot-2"
    ended = Table()
    ended.play("c3-d4")
    ended.ask("resign")
    ended.stand(ended.session.game.start.contents)
    ended.wait(1500)
    assert ended.phase == "Turn"
    assert ended.session.game_id == "boot-2"


# --- draws and ends ------------------------------------------------------------------------------------------------

SHUFFLE = ("a3-b2", "h4-g5", "b2-a3", "g5-h4")


def test_a_draw_by_repetition_ends_the_game_or_waits_for_a_claim():
    fen = "W:WKa3:BKh4"
    automatic = Table(fen=fen)
    automatic.play(*SHUFFLE, *SHUFFLE)
    assert automatic.phase == "Over"
    (end,) = automatic.heard_of(GameOver)
    assert (end.result, end.article) == ("1-1", "1.9.2")
    claimed = Table(fen=fen, draws="claim")
    claimed.play(*SHUFFLE, *SHUFFLE)
    assert claimed.phase == "Turn"
    assert claimed.ask("draw") is None
    assert claimed.heard_of(GameOver)[0].article == "1.9.2"


# --- what is wrong is said -----------------------------------------------------------------------------------------


def test_an_illegal_move_is_explained_with_rule_and_article_once():
    table = Table(fen="W:Wc3,a1:Bd4,h8")
    table.take("a1")
    table.put("b2", WHITE_MAN)
    table.wait(10_000)
    (broken,) = table.heard_of(Illegal)
    assert (broken.rule, broken.article, broken.squares) == ("must_capture", "1.5", ("c3",))
    assert table.guidance.key == "illegal"
    assert table.guidance.sentence.startswith(
        "There is a capture, and it must be made. (Russian draughts, 1.5) Legal instead: c3:e5. Move the piece from b2"
    )
    table.take("b2")
    table.put("a1", WHITE_MAN)
    assert len(table.heard_of(BoardRestored)) == 1
    assert table.guidance.key == "turn"


def test_a_move_of_the_wrong_side_is_explained():
    table = Table()
    table.take("b6")
    table.put("a5", BLACK_MAN)
    table.wait(2000)
    assert [what.rule for what in table.heard_of(Illegal)] == ["wrong_side"]


def test_a_bumped_piece_is_named_once_and_silently_forgotten_when_it_stands_again():
    table = Table()
    table.take("h8")
    table.wait(200)
    table.put("h8", BLACK_MAN)
    assert table.heard == []
    table.take("h8")
    table.wait(5000)
    assert [what.squares for what in table.heard_of(BoardDiffers)] == [("h8",)]
    table.put("h8", BLACK_MAN)
    assert len(table.heard_of(BoardRestored)) == 1


def test_a_board_being_swept_is_not_scolded():
    table = Table()
    table.play("c3-d4")
    table.effects.clear()
    for square in range(20):
        table.touch(square, EMPTY)
    table.wait(10_000)
    assert table.heard_of(BoardDiffers) == []
    assert table.guidance.cues


# --- crowns --------------------------------------------------------------------------------------------------------


def test_a_man_on_the_last_row_is_to_be_crowned_and_play_goes_on_all_the_same():
    table = Table(fen="W:Wc7:Bh2,h4")
    table.take("c7")
    table.put("d8", WHITE_MAN)
    table.wait(500)
    assert table.record == ["c7-d8"]
    assert table.guidance.key == "crown"
    assert table.guidance.cues == ((table.square("d8"), Role.HINT),)
    table.play("h2-g1")
    assert table.record[1:] == ["h2-g1"]


def test_a_crowned_king_needs_no_crown():
    table = Table(fen="W:Wc7:Bh2,h4")
    table.play("c7-d8")
    assert table.guidance.key == "turn"


def test_a_board_that_cannot_tell_kings_is_reminded_until_the_man_is_touched():
    table = Table(fen="W:Wc7:Bh2,h4", kind="colour")
    table.play("c7-d8")
    assert table.guidance.key == "crown"
    table.take("d8")
    table.put("d8", WHITE_KING)
    assert table.guidance.key == "turn"
    assert table.record == ["c7-d8"]


def test_lifting_a_new_king_for_its_crown_is_no_takeback():
    table = Table(fen="W:Wc7:Bh2,h4", black="engine:1")
    table.move("c7-d8")
    table.wait(500)
    table.take("d8")
    table.wait(2000)
    table.put("d8", WHITE_KING)
    table.wait(2000)
    assert table.record == ["c7-d8"]
    assert table.story == ["c7-d8"]


# --- time and order ------------------------------------------------------------------------------------------------


def test_time_that_passes_without_a_deadline_changes_nothing():
    table = Table()
    table.wait(1000)
    before = table.session
    table.send(TimePassed(table.now + 100_000))
    assert before.game == table.session.game
    assert before.phase == table.session.phase


def test_announcements_are_numbered_without_gaps_in_each_game():
    table = Table()
    table.play("c3-d4", "b6-a5")
    table.ask("new_game")
    numbers = [(effect.game, effect.seq) for effect in table.effects if hasattr(effect, "seq")]
    assert numbers == sorted(numbers)
    assert len(set(numbers)) == len(numbers)


def test_blitz_waits_less():
    table = Table(pace=BLITZ)
    table.move("c3-d4")
    table.wait(BLITZ.quick)
    assert table.record == ["c3-d4"]


def test_a_king_that_is_crowned_on_the_way_is_known_by_the_rules():
    table = Table(fen="B:Wd2,f2:Bb2,c3,h8")
    assert isinstance(table.session.phase, Turn)
    position = table.session.game.position
    assert BLACK_KING not in position.contents


def test_answering_remembers_what_it_shows():
    table = answering()
    assert isinstance(table.session.phase, Answering)
    assert table.session.phase.shown_ms <= table.now


@pytest.mark.parametrize("begun", [False, True])
def test_towers_that_look_alike_are_asked_for_and_never_guessed(begun):
    """A tower of five was jumped twice or not at all on the way: what is left of it looks the same."""
    table = Table("towers-second-jump", "B:Wb6=wwww,d6,a3,h2:Bc7,h8")
    moves = {full_move_text(move, table.ruleset): move for move in table.session.game.legal_moves}
    assert {"c7:e5", "c7:a5:c7:e5"} <= set(moves)
    played = moves["c7:a5:c7:e5"]
    table.touch(table.square("c7"), EMPTY)
    table.touch(table.square("e5"), BLACK_MAN)
    table.touch(table.square("d6"), EMPTY)
    if begun:
        table.touch(table.square("h2"), EMPTY)
    table.wait(2000)
    assert table.record == []
    assert table.story == ["prompt: which"]
    choices = [story.moves[0] for story in table.session.reading.stories]
    assert played in choices
    assert table.ask("choose", number=1 + choices.index(played)) is None
    assert table.session.game.moves == (played,)
    if begun:
        table.touch(table.square("g3"), WHITE_MAN)
        table.wait(2000)
        assert table.record[1:] == ["h2-g3"]


def test_how_players_end_a_game_is_said_with_its_article():
    """Russian rules, 1.8 and 1.9.3: who resigns or oversteps the time has lost, an agreed game is drawn."""
    for name, arguments, result, sentence in (
        ("resign", {"side": "white"}, "0-2", "Black has won: resigned."),
        ("flag", {"side": "black"}, "2-0", "White has won: the time is over."),
        ("draw", {}, "1-1", "Draw: agreed."),
    ):
        table = Table()
        assert table.ask(name, **arguments) is None
        assert table.phase == "Over"
        (end,) = table.heard_of(GameOver)
        assert end.article.startswith("1.")
        assert end.result == result
        assert sentence in guide(table.session).sentence
    assert table.ask("flag", side="white") == "no game is being played"


def test_O14_a_board_without_pieces_is_no_game():
    table = Table("russian", ready=False)
    table.stands = [EMPTY] * len(table.stands)
    table.regain()
    table.wait(3_600_000)
    assert not table.heard_of(GameStarted)
    assert not table.heard_of(Moved)
    assert table.session.game.ply == 0


def test_spoilt_bytes_that_look_like_two_moves_of_kings_are_none():
    """White's king stood on e1; one frame looks as if it had gone to e3 and c1 had taken it there."""
    table = Table("russian", fen="W:WKa7,Kf2:BKc1")
    table.wait(900)
    for pause_ms, changes in (
        (0, {"f2": EMPTY}),
        (25, {"e1": WHITE_KING}),
        (321, {"e1": EMPTY, "c1": EMPTY, "f4": BLACK_KING}),
        (321, {"e1": WHITE_KING, "c1": BLACK_KING, "f4": EMPTY}),
    ):
        table.wait(pause_ms)
        for name, piece in changes.items():
            table.stands[table.square(name)] = piece
        table.look(firm=False)
    table.wait(300)
    table.look()
    table.wait(3000)
    assert table.record == ["f2-e1"]
