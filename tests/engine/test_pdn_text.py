"""Files of all encodings: what was written comes back, whatever it was written in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.pdn import read_pdn_bytes
from engine.pdn_text import OLD_ENCODINGS, decode_text

RUSSIAN = (
    "Турнир",
    "Белые",
    "ИГРОК ДВЕНАДЦАТЬ",
    "Игрок 12",
    "г. Город, тур 3",
    "чёрные сдались",
    "хороший ход, но можно было сильнее",
    "Щ. Юный",
    "Ёлкин",
    "Кубок области — финал".replace("—", "-"),
)
SHORT_RUSSIAN = ("Цой", "Уфа", "Юм", "Ли", "ход", "ток", "2 тур", "СССР", "ЮЖНЫЙ", "Я", "Щ")
WESTERN = (
    "Nº 4",
    "1ª ronda",
    "2º tablero",
    "¿Qué?",
    "¡Hola!",
    "Bööm",
    "Õnne",
    "à",
    "José",
    "Joueur numéro 7",
    "Spieler Müller",
    "Größe",
    "Åke Öström",
    "São João",
    "Peña",
    "Partie à Évian",
    "Coupe d'été, dernière ronde",
    "Forlì",
    "Città",
    "Bøe",
    "ÉLÈVE",
)


def _file(name):
    return f'[Event "{name}"]\n[White "A"]\n[Result "2-0"]\n\n1. 32-28 19-23 {{{name}}} 2. 28x19 14x23 2-0\n'


@pytest.mark.parametrize("encoding", ["cp1251", "cp866", "koi8-r", "utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("name", RUSSIAN)
def test_cyrillic_names_come_back(name, encoding):
    for text in (_file(name), f'[White "{name}"]\n', f"{{{name}}}", name):
        assert decode_text(text.encode(encoding)).text == text


@pytest.mark.parametrize("encoding", ["cp1251", "cp866", "utf-8", "utf-8-sig"])
@pytest.mark.parametrize("name", SHORT_RUSSIAN)
def test_a_few_cyrillic_letters_are_enough(name, encoding):
    for text in (_file(name), f'[White "{name}"]\n', f"{{{name}}}", name):
        assert decode_text(text.encode(encoding)).text == text


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("name", WESTERN)
def test_western_names_come_back(name, encoding):
    for text in (_file(name), f'[White "{name}"]\n', f"{{{name}}}", name):
        assert decode_text(text.encode(encoding)).text == text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_wide_characters_without_a_mark_are_seen(encoding):
    for text in (_file("Турнир"), "Турнир, белые и чёрные\n", '[White "A"]\n'):
        assert decode_text(text.encode(encoding)).text == text


def test_signs_of_asia_stay_what_they_are():
    for name in ("王天一", "李", "チェッカー", "체커"):
        assert decode_text(_file(name).encode()).text == _file(name)


@pytest.mark.parametrize("text", ["1. 32-28 19-23 ½-½", "1. 32–28 19–23 1–0", "1. 32-28 19-23 2. 28×19"])
def test_signs_of_moves_are_no_letters(text):
    assert decode_text(text.encode("cp1252")).text == text


def test_all_names_of_a_file_decide_together():
    for encoding in ("cp1251", "cp866", "koi8-r"):
        text = "".join(map(_file, RUSSIAN))
        decoded = decode_text(text.encode(encoding))
        assert (decoded.text, decoded.encoding, decoded.sure) == (text, encoding, False)


def test_a_cut_character_does_not_make_a_file_something_else():
    data = _file("Турнир").encode() + "Я".encode()[:1]
    assert decode_text(data).text.startswith('[Event "Турнир"]')
    assert decode_text(data).encoding == "utf-8"


def test_plain_text_is_utf_8():
    assert decode_text(_file("A").encode()) == decode_text(_file("A").encode("ascii"))
    assert decode_text(b"").text == ""


@given(st.binary(max_size=300))
def test_no_bytes_make_it_raise(data):
    decoded = decode_text(data)
    assert isinstance(decoded.text, str)
    assert decoded.sure or decoded.encoding in OLD_ENCODINGS


def test_the_first_game_says_what_was_guessed():
    data = "".join(map(_file, RUSSIAN)).encode("cp866")
    games = read_pdn_bytes(data)
    assert [game.tags["Event"] for game in games] == list(RUSSIAN)
    assert games[0].notes[0].reason == "read as cp866, which its letters look like"
    assert not any(game.notes for game in games[1:])
    assert not read_pdn_bytes(_file("Турнир").encode())[0].notes
