"""What is said aloud: which sentences (as values), and a real voice that says them into a file of sound."""

from __future__ import annotations

import array
import dataclasses
import shutil
import threading
import wave

import pytest

from station.announcements import GameOver, Moved
from station.effects import Announce
from station.events import TimePassed
from station.runtime.loop import Outcome
from station.runtime.speaking import REST_S, VoiceWorker
from station.speech import aloud, said_of_guidance, said_of_moves
from station.texts import languages, load_texts
from tests.station.table import Table

needs_voice = pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="espeak-ng is not installed")


@pytest.fixture
def speaking():
    """A voice of this command that hears what happens at `table`; ended with the test."""
    voices = []

    def make(command):
        voices.append(VoiceWorker(command, ["table"]))
        voices[-1].start()
        return voices[-1]

    yield make
    for voice in voices:
        voice.stop()


def outcome(table, board="table", effects=()):
    return Outcome(board, table.session, TimePassed(table.now), tuple(effects))


def until(is_so, seconds=10.0):
    waiting = threading.Event()
    for _ in range(round(seconds / 0.05)):
        if is_so():
            return
        waiting.wait(0.05)
    raise AssertionError("it did not come")


def test_moves_of_persons_are_said_as_squares():
    table = Table("russian")
    table.play("c3-d4", "b6-c5", "d4:b6")
    assert said_of_moves(table.session, table.effects) == ["White: c3 d4.", "Black: b6 c5.", "White takes: d4 b6."]


def test_an_answer_is_said_when_it_is_to_be_played_and_not_again():
    table = Table("russian", black="engine:5")
    table.play("c3-d4")
    table.effects.clear()
    table.choose("b6-c5")
    table.wait(1000)
    assert said_of_guidance(table.session) == "Play b6 c5 for Black."
    table.play("b6-c5")
    assert said_of_moves(table.session, table.effects) == []
    assert said_of_guidance(table.session) == ""


def test_O13_the_last_move_is_told_and_said_before_the_result():
    table = Table("russian", fen="W:Wd4:Be5")
    table.play("d4:f6")
    told = [effect.what for effect in table.effects if isinstance(effect, Announce)]
    kinds = [type(what) for what in told if isinstance(what, (Moved, GameOver))]
    assert kinds == [Moved, GameOver]
    voice = VoiceWorker("true", ["table"])
    voice.hear(outcome(table, effects=table.effects))
    first, second = voice._next(), voice._next()
    assert first == ("en", "White takes: d4 f6.")
    assert second[1].startswith("White has won")


def test_results_are_said_and_turns_are_not():
    table = Table("russian", fen="W:Wd4:Be5")
    assert said_of_guidance(table.session) == ""
    table.play("d4:f6")
    assert said_of_guidance(table.session).startswith("White has won")


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("Play 32-28 for White.", "Play 32 28 for White."),
        ("Play 32x23x12.", "Play 32 23 12."),
        ("Still open: c3:e5, a1-b2.", "Still open: c3 e5, a1 b2."),
        ("Draw: 3-fold. Half-open x, 5 + 3.", "Draw: 3 fold. Half-open x, 5 + 3."),
    ],
)
def test_no_sign_between_squares_is_read_out(written, said):
    assert aloud(written) == said


@needs_voice
def test_a_voice_says_moves_and_the_result(speaking, tmp_path):
    sound = tmp_path / "said.wav"
    voice = speaking(f"espeak-ng -v {{language}} -w '{sound}'")
    table = Table("russian", fen="W:Wd4:Be5")
    voice.hear(outcome(table))
    table.play("d4:f6")
    voice.hear(outcome(table, "another", table.effects))
    voice.hear(outcome(table, effects=table.effects))
    until(lambda: sound.exists() and spoken(sound) > 0.8)
    sound.unlink()
    until(lambda: sound.exists() and spoken(sound) > 1.5, REST_S + 10)


@needs_voice
@pytest.mark.parametrize("language", languages())
def test_there_is_a_voice_for_every_language(language, speaking, tmp_path, capfd):
    sound = tmp_path / "said.wav"
    voice = speaking(f"espeak-ng -v {{language}} -w '{sound}'")
    table = Table("russian")
    table.session = dataclasses.replace(table.session, texts=load_texts(language))
    table.press("resign")
    table.press("resign")
    voice.hear(outcome(table))
    until(lambda: sound.exists() and spoken(sound) > 0.8)
    assert not capfd.readouterr().err


@pytest.mark.parametrize(
    ("command", "reason"),
    [("dambord-no-such-voice", "No such file"), ("sh -c 'echo no sound card >&2; exit 1'", "no sound card")],
)
def test_without_a_voice_it_is_said_once_and_nothing_waits(speaking, capfd, command, reason):
    voice = speaking(command)
    table = Table("russian", fen="W:Wd4:Be5")
    table.play("d4:f6")
    voice.hear(outcome(table, effects=[*table.effects, *table.effects]))
    told = ""

    def is_told():
        nonlocal told
        told += capfd.readouterr().err
        return reason in told

    until(is_told)
    threading.Event().wait(0.3)
    assert (told + capfd.readouterr().err).count("nothing is said aloud") == 1


def spoken(path):
    """Seconds that can be heard."""
    try:
        with wave.open(str(path)) as file:
            samples = array.array("h", file.readframes(file.getnframes()))
            return sum(abs(sample) > 300 for sample in samples[::10]) * 10 / file.getframerate()
    except (wave.Error, EOFError):
        return 0.0
