"""Bytes of old files as text: the encoding is told from the letters, since PDN has no place to state it."""

from __future__ import annotations

import codecs
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Byte order marks and what they mean; the longer ones first where one begins with the other."""

_LIKELY = {"cp1252": 0.0, "cp1251": 0.0, "cp866": 0.0, "koi8-r": -2.5, "cp850": -0.3}
"""What the letters of the rarer encodings have to make up for."""

OLD_ENCODINGS = tuple(_LIKELY)
"""One-byte encodings that are told apart, the likelier first where the letters do not decide."""

_MOST_PIECES = 1500
"""How many different pieces of text are weighed; more of them decide nothing more."""

_PIECE = re.compile(rb"[A-Za-z0-9\x80-\xff]{0,30}[\x80-\xff][A-Za-z0-9\x80-\xff]{0,30}")
_LETTERS = re.compile(r"[^\W\d_ªº]+")
_ASIAN = re.compile(r"[\u0800-\u1dff\u2800-\ud7ff]")
"""Signs that three bytes of UTF-8 make and that three small Cyrillic letters of an old encoding make as well."""

# How often letters come in Russian text, per mille.
_RUSSIAN = dict(
    zip(
        "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё",
        (
            *(110, 85, 80, 74, 67, 63, 55, 47, 45, 44, 35, 32, 30, 28, 26, 20, 19, 17, 17, 16, 16, 14, 12),
            *(10, 9, 7, 6, 5, 4, 3, 3, 1, 1),
        ),
        strict=True,
    )
)
_CONSONANTS = re.compile("[бвгджзклмнпрстфхцчшщ]{4,}")
_NEVER_FIRST = frozenset("ьъы")
_OTHER_CYRILLIC = frozenset("іїєґў")
_USUAL_LATIN = frozenset("éèêëàâáäåãæçíìîïñóòôöõøúùûüßœšžý")
_USUAL_SIGNS = frozenset("«»„“”‘’–—…№°½¼¾×·§€©®\xa0†•¿¡ªº")


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text with the encoding it was read in; `sure` is False where the letters alone decided that."""

    text: str
    encoding: str
    sure: bool


def decode_text(data: bytes) -> Decoded:
    """The text that bytes hold; never raises: what fits no encoding becomes a replacement character.

    A byte order mark decides, then whether it is UTF-8, then which of `OLD_ENCODINGS` makes words of it.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return Decoded(data[len(mark) :].decode(encoding, errors="replace"), encoding, sure=True)
    wide = _wide_encoding(data)
    if wide:
        return Decoded(data.decode(wide, errors="replace"), wide, sure=True)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        if not _ASIAN.search(text) or _worth_of_all(data, "cp866") <= 0:
            return Decoded(text, "utf-8", sure=True)
        return Decoded(data.decode("cp866"), "cp866", sure=False)
    if _mostly_utf_8(data):
        return Decoded(data.decode("utf-8", errors="replace"), "utf-8", sure=True)
    encoding = max(OLD_ENCODINGS, key=lambda name: _worth_of_all(data, name) + _LIKELY[name])
    return Decoded(data.decode(encoding, errors="replace"), encoding, sure=False)


def _worth_of_all(data: bytes, encoding: str) -> float:
    pieces = Counter(_PIECE.findall(data)).most_common(_MOST_PIECES)
    return sum(_worth(piece, encoding) * min(n, 20) for piece, n in pieces)


def _wide_encoding(data: bytes) -> str:
    """UTF-16 without a mark: every other byte of plain letters and digits is a NUL, of Cyrillic ones a 4."""
    sample = data[:2000]
    if len(sample) < 8 or 0 not in sample:
        return ""
    even, odd = (sum(half.count(byte) for byte in (0, 4)) for half in (sample[0::2], sample[1::2]))
    half = len(sample) // 2
    return (
        "utf-16-le" if odd > 4 * even and odd * 2 > half else "utf-16-be" if even > 4 * odd and even * 2 > half else ""
    )


_UTF_8_CHARACTER = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")


def _mostly_utf_8(data: bytes) -> bool:
    """Whether the bytes are UTF-8 that was cut or has a few strange bytes in it."""
    high = sum(1 for byte in data if byte >= 0x80)
    good = sum(len(match[0]) for match in _UTF_8_CHARACTER.finditer(data))
    return good * 10 >= high * 9


def _worth(piece: bytes, encoding: str) -> float:
    """How well a piece of text reads in an encoding; below nothing where it does not."""
    text = piece.decode(encoding, errors="replace")
    return sum(_sign_worth(text)) + sum(_word_worth(text, word) for word in _LETTERS.finditer(text))


def _sign_worth(text: str) -> Iterator[float]:
    for place, sign in enumerate(text):
        if sign.isascii() or (sign.isalpha() and sign not in "ªº"):
            continue
        if sign not in _USUAL_SIGNS:
            yield -6.0
        else:
            before, after = text[max(0, place - 1) : place], text[place + 1 : place + 2]
            if sign in "×½–—" and (before.isdigit() or after.isdigit()):
                yield 1.0
            elif sign != "’" and before.isalpha() and after.isalpha():
                yield -2.0


def _word_worth(text: str, word: re.Match[str]) -> float:
    letters = word[0]
    foreign = [letter for letter in letters if not letter.isascii()]
    if not foreign:
        return 0.0
    cyrillic = [letter for letter in foreign if "Ѐ" <= letter <= "ӿ"]
    beside = text[max(0, word.start() - 1) : word.start()] + text[word.end() : word.end() + 1]
    worth = -3.0 if any(c.isdigit() for c in beside) else 0.0
    worth += _case_worth(letters)
    if not cyrillic:
        return worth + _latin_worth(letters)
    if len(cyrillic) < len(letters):
        worth -= 4.0
    if len(letters) == 1:
        return worth + (-3.0 if letters.lower() not in _RUSSIAN else -1.0 if letters in _NEVER_FIRST else 0.05)
    if letters[0].lower() in _NEVER_FIRST:
        worth -= 2.0
    clusters = sum(len(run) - 3 for run in _CONSONANTS.findall(letters.lower()))
    return worth - clusters + sum(_cyrillic_worth(letter.lower()) for letter in cyrillic)


def _case_worth(letters: str) -> float:
    """Words are in small letters, begin with a capital, or are all in capitals."""
    if letters.islower() or letters[1:].islower() or len(letters) == 1:
        return 0.0
    return -0.25 * len(letters) if letters.isupper() else -2.0 * sum(map(str.isupper, letters[1:]))


def _cyrillic_worth(letter: str) -> float:
    often = _RUSSIAN.get(letter)
    if often is None:
        return 0.0 if letter in _OTHER_CYRILLIC else -5.0
    return math.log10(often) - 0.9


def _latin_worth(letters: str) -> float:
    """Western words are mostly plain letters, with one or two of the usual accents among them."""
    if len(letters) == 1:
        return 0.5 if letters in "àéèóíá" else 0.0 if letters.lower() in _USUAL_LATIN else -1.5
    worth = 0.0
    for letter in letters.lower():
        if not letter.isascii():
            worth += 0.8 if letter in _USUAL_LATIN else -1.5
    pairs = sum(1 for one, other in pairwise(letters) if not one.isascii() and not other.isascii())
    alone = 3.0 if not any(letter.isascii() for letter in letters) else 0.0
    return worth - 2.0 * pairs - alone
