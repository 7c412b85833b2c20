"""What a club is shipped with is right, and a wrong configuration is named."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from station.club.config import ClubTable, read_club_config
from station.config import WebTable
from station.errors import ConfigError

CLUB = Path(__file__).parents[3] / "deploy" / "club"


def test_the_example_loads_with_every_key():
    text = (CLUB / "club.toml").read_text()
    assert read_club_config(text).club.name == "Damclub De Ridder"
    for line in re.findall(r"^# (\w+ = .*)$", text, re.MULTILINE):
        assert read_club_config(text.replace(f"# {line}", line, 1))
    for item in (*fields(ClubTable), *(one for one in fields(WebTable) if one.name in ("host", "port"))):
        assert re.search(rf"^(# )?{item.name} = ", text, re.MULTILINE), item.name


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[club]\nnmae = 'x'", "name"),
        ("[wall]", "no such section"),
        ("[club]\ndatabase = 'mysql://x'", "postgresql://"),
        ("[club]\nlanguage = 'tlh'", "one of"),
        ("[mqtt]\nport = 'x'", "port number"),
        ("[club", "not TOML"),
    ],
)
def test_what_is_wrong_is_named(text, words):
    with pytest.raises(ConfigError, match=re.escape(words)):
        read_club_config(text)
