"""Catalogues of gettext: a message for each key, which is its context; what is missing or outdated stays English."""

from __future__ import annotations

from collections.abc import Iterator
from gettext import c2py
from importlib import resources
from io import BytesIO

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po

from engine.ruleset import load_ruleset, variant_names
from station.texts import FORMS, SOURCE, VARIANT, Texts, load_texts

HEAD = """\
msgid ""
msgstr ""
"Language: {language}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: {plural}\\n"

"""
"""How a catalogue begins: no dates and no names, so that it changes with its sentences alone."""


def translated(english: Texts, language: str) -> Texts:
    """The texts of a language's catalogue, over those of English."""
    catalogue = read(language)
    names, place_of = FORMS[catalogue.num_plurals], c2py(catalogue.plural_expr)
    sentences, forms = dict(english.sentences), dict(english.forms)
    for message in catalogue:
        key = message.context
        if not key or not is_done(message) or (not key.startswith(VARIANT) and message.id != _source(english, key)):
            continue
        strings = _strings(message)
        sentences[key] = strings[-1]
        if message.pluralizable:
            forms[key] = dict(zip(names, strings, strict=True))
    return Texts(language, sentences, forms, lambda number: names[place_of(number)])


def read(language: str) -> Catalog:
    """The catalogue of a language."""
    source = (resources.files("station.texts") / f"{language}.po").read_bytes()
    return read_po(BytesIO(source), locale=language, ignore_obsolete=True)


def is_done(message: Message) -> bool:
    """Whether a message is translated, and nobody has to look at it again."""
    strings = _strings(message)
    return bool(strings) and all(strings) and not message.fuzzy


def template() -> Catalog:
    """Everything that is to be translated: the sentences of English, and the titles of the variants."""
    english, catalogue = load_texts(SOURCE), Catalog(project="Dambord", fuzzy=False)
    for key, sentence in english.sentences.items():
        if sentence:
            catalogue.add(_source(english, key), context=key)
    for name in variant_names():
        catalogue.add(load_ruleset(name).title, context=VARIANT + name)
    return catalogue


def updated(language: str) -> Catalog:
    """A language's catalogue with the messages of today's English; what English says otherwise now is marked fuzzy."""
    catalogue = read(language)
    known = {message.context: message for message in catalogue}
    catalogue.update(template(), no_fuzzy_matching=True, update_creation_date=False)
    for message in catalogue:
        before = known.get(message.context)
        if before is not None and before.id != message.id and before.pluralizable == message.pluralizable:
            message.string = before.string
            message.flags.add("fuzzy")
    return catalogue


def to_do(catalogue: Catalog) -> Iterator[str]:
    """Keys that are said in English, because nobody has translated them or English has changed since."""
    return (str(message.context) for message in catalogue if message.context and not is_done(message))


def text_of(catalogue: Catalog) -> bytes:
    """A catalogue as its file holds it."""
    file = BytesIO()
    write_po(file, catalogue, width=0, omit_header=True, ignore_obsolete=True)
    head = HEAD.format(language=catalogue.locale_identifier, plural=catalogue.plural_forms)
    return head.encode() + file.getvalue()


def _source(english: Texts, key: str) -> str | tuple[str, str]:
    several = english.forms.get(key)
    return (several["one"], several["other"]) if several else english.sentences.get(key, "")


def _strings(message: Message) -> tuple[str, ...]:
    string = message.string
    return (string or "",) if string is None or isinstance(string, str) else tuple(string)
