"""Texts that chance has spoiled: each is read as something that can be written and read again, or refused clearly."""

from __future__ import annotations

import gc
import random
import time
from functools import cache

import pytest

from engine.errors import NotationError
from engine.fen import read_fen_pieces, write_fen
from engine.pdn import PdnGame, canonical_result, read_pdn, read_pdn_bytes, write_pdn
from engine.rules import rules_for
from engine.ruleset import load_ruleset, variant_names

FEW = 1_500
MANY = 500_000
"""How many texts of each kind a test run and a soak spoil."""

_FEN_SIGNS = "WBKGPwbk:,.-+=?HF 0123456789acehl\"'\n²é"
_PDN_SIGNS = "[]{}()\"';.*!?$%-x:×/\\ \n\r\t0123456789abcdefghWBK½…–&<>#é\x00"
_PDN_BITS = (
    '[Event "A"]',
    '[FEN "W:W31-50:B1-20"]',
    '[FEN "B:WK4:B13,20,32,37"]',
    '[GameType "25"]',
    '[GameType "20,B,10,10,N1,0"]',
    '[Variant "english"]',
    "1. ",
    " 1... ",
    "32-28 19-23",
    "cd4 ",
    "c3d4",
    "{a {b} c}",
    "(1. 31-26",
    "1-1\n",
    "1/2-1/2 ",
    "0:10:00",
    "32-2819-23",
    "&nbsp;",
    "<br>",
    "\\r\\n",
    "% 33-28\n",
    "; 33-28\n",
)


@cache
def _games(variant):
    """Short games of a variant by chance, always the same ones."""
    chance = random.Random(variant)
    rules = rules_for(load_ruleset(variant))
    games = []
    for _ in range(3):
        position, moves = rules.start(), []
        for _ in range(chance.randrange(12)):
            legal = rules.legal_moves(position)
            if not legal:
                break
            moves.append(chance.choice(legal))
            position = position.after(moves[-1])
        games.append((PdnGame({"White": "A"}, rules.ruleset, rules.start(), tuple(moves), "*"), position))
    return tuple(games)


def _spoilt(text, chance, signs, bits=()):
    """The text with one to four accidents."""
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.randrange(1, 12))
        match chance.randrange(6):
            case 0:
                text = text[:start] + text[end:]
            case 1:
                text = text[:end] + text[start:]
            case 2:
                text = text[:start] + "".join(chance.choices(signs, k=chance.randint(1, 3))) + text[end:]
            case 3:
                text = text[:start] + chance.choice(signs) + text[start:]
            case 4:
                text = text[:start] if chance.random() < 0.3 else text[start:] + text[:start]
            case 5:
                text = text[:start] + (chance.choice(bits) if bits else text[end:]) + text[start:]
    return text


def _check_fen(text, ruleset):
    try:
        position, turn = read_fen_pieces(text, ruleset)
    except NotationError:
        return
    written = write_fen(position, ruleset)
    assert read_fen_pieces(written, ruleset) == (position, turn or ruleset.first), text


def _check_pdn(text, ruleset):
    for game in read_pdn(text, ruleset):
        (copy,) = read_pdn(write_pdn(game), game.ruleset)
        assert copy.is_legal, (text, copy.faults)
        assert (copy.moves, copy.ruleset.name, copy.turn_known) == (game.moves, game.ruleset.name, game.turn_known), (
            text
        )
        assert copy.start == game.start, text
        assert copy.result == canonical_result(game.result, game.ruleset), text
        for name in ("Event", "White", "Black"):
            if game.tags.get(name, "").strip():
                assert copy.tags[name] == " ".join(game.tags[name].split()), text


def _spoil_fens(count, seed):
    chance = random.Random(seed)
    for _ in range(count):
        variant = chance.choice(variant_names())
        game, position = chance.choice(_games(variant))
        _check_fen(_spoilt(write_fen(position, game.ruleset), chance, _FEN_SIGNS), game.ruleset)


def _spoil_pdns(count, seed):
    chance = random.Random(seed)
    for _ in range(count):
        game, _ = chance.choice(_games(chance.choice(variant_names())))
        default = game.ruleset if chance.random() < 0.5 else load_ruleset(chance.choice(variant_names()))
        _check_pdn(_spoilt(write_pdn(game), chance, _PDN_SIGNS, _PDN_BITS), default)


@pytest.mark.parametrize("seed", range(2))
def test_spoilt_fens_are_read_again_or_refused(seed):
    _spoil_fens(FEW // 2, seed)


@pytest.mark.parametrize("seed", range(2))
def test_spoilt_games_are_read_again(seed):
    _spoil_pdns(FEW // 2, seed)


@pytest.mark.soak
@pytest.mark.timeout(14_400)
@pytest.mark.parametrize("seed", range(100, 102))
def test_half_a_million_spoilt_fens(seed):
    _spoil_fens(MANY // 2, seed)


@pytest.mark.soak
@pytest.mark.timeout(14_400)
@pytest.mark.parametrize("seed", range(100, 110))
def test_half_a_million_spoilt_games(seed):
    _spoil_pdns(MANY // 10, seed)


def test_spoilt_bytes_are_read():
    chance = random.Random(7)
    for _ in range(300):
        game, _ = chance.choice(_games(chance.choice(variant_names())))
        data = bytearray(write_pdn(game).encode())
        for _ in range(chance.randint(1, 20)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        for found in read_pdn_bytes(bytes(data)):
            write_pdn(found)


MEGABYTE = 1_000_000

PATHOLOGICAL = {
    "opening brackets": "(",
    "opening brackets with blanks": "( ",
    "pairs of brackets": "()",
    "opening braces": "{",
    "pairs of braces": "{}",
    "braces that do not balance": "{ {} ",
    "opening square brackets": "[",
    "square brackets on lines": "[\n",
    "tags that are not closed": '[a "x',
    "tags that close too early": '[a "x] ',
    "lines of tags that are not closed": '[a "x"\n',
    "quotes": '"',
    "backslashes": "\\",
    "one endless chain of squares": "1-",
    "one endless number": "1",
    "numbers without moves": "1. ",
    "numbers run together": "1.",
    "moves without an end": "1- ",
    "short moves": "cd4 ",
    "stars": "* ",
    "words": "a\n",
    "remarks": ";",
    "program lines": "%\n",
    "entities": "&#",
    "markup": "<a",
    "blank lines": "\n",
    "accents": "é",
    "one endless game": "32-28 19-23 ",
    "times": "0:10:00 ",
    "the same illegal capture": "1x3 ",
    "comments before tags": '{\n[Event "x"]\n',
}


def seconds_to_read(text):
    """CPU time, the better of two, since other programs slow this one down; `benchmarks/pdn.py` prints them."""
    seconds = []
    gc.freeze()  # what other tests have left is not to be searched again and again
    for _ in range(2):
        began = time.process_time()
        read_pdn(text, load_ruleset("international"))
        seconds.append(time.process_time() - began)
    gc.unfreeze()
    return min(seconds)


def grows_no_faster_than_its_text(text):
    """Four times the text takes about four times as long; what grows with the square takes sixteen times."""
    return seconds_to_read(text) < 9 * max(seconds_to_read(text[: len(text) // 4]), 0.02)


@pytest.mark.parametrize("name", PATHOLOGICAL)
def test_much_nonsense_takes_no_longer_than_its_length(name):
    bit = PATHOLOGICAL[name]
    text = bit * (MEGABYTE // 4 // len(bit))
    assert grows_no_faster_than_its_text(text)
    assert len(read_pdn(text, load_ruleset("international"))) < 10


def tiny_games():
    """A megabyte of two moves each, nearly all illegal."""
    chance = random.Random(5)
    texts, size = [], 0
    while size < MEGABYTE:
        squares = [chance.randint(1, 50) for _ in range(4)]
        texts.append('[Event "{}"]\n1. {}-{} {}x{} 1-1\n\n'.format(len(texts), *squares))
        size += len(texts[-1])
    return "".join(texts)


def test_a_megabyte_of_tiny_games_with_faults_takes_no_longer_than_its_length():
    assert grows_no_faster_than_its_text(tiny_games())
    games = read_pdn(tiny_games(), load_ruleset("international"))
    assert len(games) > 20_000
    assert "nearly all games before it have faults" in games[-1].faults[0].reason


def test_many_games_with_faults_cost_none_of_those_between_them():
    replies = ["19-23" if n % 4 == 0 else f"{20 + n % 30}-1" for n in range(3000)]
    text = "".join(f'[Event "{n}"]\n1. 32-28 {reply} 1-1\n\n' for n, reply in enumerate(replies))
    games = read_pdn(text, load_ruleset("international"))
    assert all(game.is_legal == (place % 4 == 0) for place, game in enumerate(games))


_ACCIDENTS = ("{", "}", "(", ")", "[", "]", '"', '[FEN "x', "*", "1-0", "1. ", "\\", "%", "\n\n", ";", "99-1", "/", "<")


@pytest.mark.parametrize("accident", _ACCIDENTS)
def test_an_accident_in_one_game_costs_no_other(accident):
    chance = random.Random(accident)
    ruleset = load_ruleset("international")
    first, spoilt, last = (write_pdn(game) for game, _ in _games("international"))
    moves = [read_pdn(text, ruleset)[0].moves for text in (first, last)]
    first, spoilt, last = (text.replace("?", name, 1) for text, name in ((first, "A"), (spoilt, "B"), (last, "C")))
    for _ in range(20):
        place = chance.randrange(len(spoilt))
        found = read_pdn(f"{first}\n{spoilt[:place]}{accident}{spoilt[place:]}\n{last}", ruleset)
        assert (found[0].tags["Event"], found[0].moves, found[0].faults) == ("A", moves[0], ()), place
        assert (found[-1].tags["Event"], found[-1].moves) == ("C", moves[1]), place


def test_a_megabyte_in_one_tag_is_kept():
    value = "x" * MEGABYTE
    (game,) = read_pdn(f'[Event "{value}"]\n1. 32-28 *', load_ruleset("international"))
    assert game.tags["Event"] == value
    assert len(game.moves) == 1


@pytest.mark.parametrize("bit", ["31,", ":", "W", "K", "31-50,", "1", ",", " ", "G1,"])
def test_a_megabyte_of_fen_is_read_or_refused_within_a_second(bit):
    began = time.process_time()
    _check_fen("W:W" + bit * (MEGABYTE // len(bit)) + ":B1", load_ruleset("international"))
    assert time.process_time() - began < 1.0
