"""Names of PDN tags: the standard ones, as other languages and slips of the pen write them."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

SEVEN_TAGS = ("Event", "Site", "Date", "Round", "White", "Black", "Result")
"""The tags every written game has, in this order."""

STANDARD_TAGS = (*SEVEN_TAGS, "GameType", "FEN", "SetUp", "Variant")
"""The tags that say something to the reader."""

_IN_OTHER_LANGUAGES = {
    "Event": "turnier evento torneo torneio tournoi evenement évènement événement toernooi wedstrijd dati турнир"
    " турнір соревнование событие turniej turnaj turniir turnīrs turnyras turnuva etkinlik",
    "Site": "ort luogo lugar lieu plaats место miejsce místo",
    "Date": "datum data fecha anno année jaar дата год jahr año tarih datums",
    "Round": "runde turno ronda ronde rodada tur тур раунд runda kolo",
    "White": "weiß weiss bianco bianchi blancas blanco brancas blanc blancs wit witspeler белые белый białe biale bílý"
    " bily бели білі beyaz baltie baltieji valge valged",
    "Black": "schwarz nero neri negras negro pretas preto noir noirs zwart zwartspeler черные чёрные черный чёрный"
    " czarne černý cerny чорні siyah melnie juodieji mustad",
    "Result": "ergebnis risultato resultado résultat resultat uitslag результат wynik výsledek vysledek sonuç sonuc"
    " rezultāts rezultatas tulemus",
    "Variant": "variante",
}
_NAMES = {name.casefold(): name for name in STANDARD_TAGS} | {
    word: name for name, words in _IN_OTHER_LANGUAGES.items() for word in words.split()
}


def tag_name(name: str, given: Collection[str]) -> str:
    """The standard name a tag's name stands for, or the name itself.

    A slip of one letter is mended, unless the game has the tag that it would become (`given`).
    """
    known = _known(name)
    if known:
        return known
    close = _one_slip_from(name)
    return close if close and close not in given else name


@lru_cache(maxsize=1024)
def _known(name: str) -> str:
    return _NAMES.get(name.casefold()) or _NAMES.get(re.sub(r"[\s_-]+", "", name).casefold(), "")


@lru_cache(maxsize=1024)
def _one_slip_from(name: str) -> str:
    """The one standard name that differs by a letter missing, too many, other, or two exchanged; else empty."""
    if len(name) < 4 or not name.isalpha() or name.casefold() == "side":
        return ""
    found = [known for known in STANDARD_TAGS if len(known) > 4 and _is_slip(name.casefold(), known.casefold())]
    return found[0] if len(found) == 1 else ""


def _is_slip(name: str, known: str) -> bool:
    if abs(len(name) - len(known)) > 1:
        return False
    start = next((place for place, (a, b) in enumerate(zip(name, known, strict=False)) if a != b), len(known))
    a, b = name[start:], known[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])
