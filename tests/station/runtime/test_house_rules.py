"""House rules: files beside the configuration; each fault names file, key and value; the whole station plays them."""

from __future__ import annotations

import json

import pytest

from engine.errors import RulesetError
from engine.game import new_game
from engine.pdn import read_pdn
from engine.ruleset import load_ruleset, variant_names
from station.config import BoardTable, read_config
from station.errors import ConfigError
from station.journal import (
    FORMAT,
    Header,
    Resumed,
    encode_header,
    plain_resumed,
    read_journal,
    resumed_in,
    unfinished_game,
)
from station.runtime.cli import main
from station.runtime.engine_player import Engine
from station.runtime.house_rules import HouseRules, house_rules, read_house_rules, ruleset_named
from station.runtime.player_errors import PlayerError
from station.runtime.running import load
from station.session import begin
from station.settings import Settings
from station.status import snapshot
from station.texts import load_texts
from station.web.record import pdn_of, variants_for
from tests.station.table import Table

from .test_players import hub

CLUB = (
    'base = "russian"\ntitle = "Club draughts"\nsource = "rules of the club"\ncapture = "optional"\nfirst = "black"\n'
)
BOARD = '[[boards]]\nid = "table-1"\ndriver = "matrix"\nport = "/dev/null"\nvariant = "club"\n'


def write(folder, name, text):
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_house_rules_stand_beside_the_configuration_or_in_a_folder_of_their_own(tmp_path):
    write(tmp_path, "station.toml", BOARD)
    write(tmp_path, "broker.toml", '[mqtt]\nhost = "x"\n[users]\ntitle = "t"\n')
    write(tmp_path, "notes.toml", 'title = "only a title"\n')
    write(tmp_path, "club.toml", CLUB)
    write(tmp_path, "variants/Old-8.toml", 'title = "Old"\nsource = "a book"\n')
    found = house_rules(tmp_path, tmp_path / "station.toml").rulesets
    assert sorted(found) == ["Old-8", "club"]
    club = found["club"]
    assert (club.name, club.base, club.title, club.capture) == ("club", "russian", "Club draughts", "optional")
    assert club.crowning == load_ruleset("russian").crowning
    assert house_rules(tmp_path / "nowhere") == HouseRules({}, {})


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("club.toml", CLUB + "columns = 50\n", ["columns = 50", "6 to 12"]),
        ("club.toml", CLUB.replace("russian", "rusian"), ["base = 'rusian'", "russian"]),
        ("club.toml", CLUB + "capturing = 1\n", ["capturing", "nearest"]),
        ("club.toml", CLUB + 'king_range = "short"\nking_landing = "behind"\n', ['king_landing = "behind"', "flying"]),
        ("club.toml", CLUB + 'start_fen = "W:Wz9:Bb8"\n', ["start_fen = 'W:Wz9:Bb8'", "z9"]),
        ("club.toml", CLUB + 'start_fen = "W:Wc3:B"\n', ["start_fen", "the game is over there"]),
        ("club.toml", 'base = "russian', ["not TOML", "at end of document"]),
        ("variants/club.toml", 'capture = "optional"\n', ["title", "missing"]),
        ("variants/my club.toml", CLUB, ["name = 'my club'", "letters, digits"]),
        ("variants/italian.toml", CLUB, ["name = 'italian'", "built in"]),
    ],
)
def test_a_wrong_file_is_named_with_key_and_value(tmp_path, name, text, words):
    path = write(tmp_path, name, text)
    write(tmp_path, "good.toml", CLUB)
    found = house_rules(tmp_path)
    assert list(found.rulesets) == ["good"]
    ((stem, sentence),) = found.faults.items()
    assert stem == path.stem
    assert sentence.startswith(f"{path}: ")
    assert "\n" not in sentence
    for word in words:
        assert word in sentence


def test_bytes_that_are_no_text_and_two_files_of_a_name_are_refused(tmp_path):
    path = write(tmp_path, "variants/club.toml", CLUB)
    other = write(tmp_path, "club.toml", CLUB)
    with pytest.raises(RulesetError, match="one file of this name") as caught:
        ruleset_named("club", tmp_path)
    assert str(path) in str(caught.value)
    assert str(other) in str(caught.value)
    other.unlink()
    path.write_bytes(b"base = \xff")
    with pytest.raises(RulesetError, match="byte 7 is no UTF-8"):
        ruleset_named("club", tmp_path)


def test_a_wrong_file_matters_to_those_alone_who_play_by_it(tmp_path):
    station = write(tmp_path, "station.toml", BOARD)
    write(tmp_path, "club.toml", CLUB)
    write(tmp_path, "broken.toml", 'base = "russian')
    write(tmp_path, "odd.toml", CLUB + "columns = 50\n")
    assert load(str(station)).boards[0].ruleset.title == "Club draughts"
    assert ruleset_named("club", tmp_path).title == "Club draughts"
    station.write_text(BOARD.replace("club", "odd"))
    with pytest.raises(ConfigError, match=r"odd\.toml: columns = 50: expected a whole number from 6 to 12"):
        load(str(station))


def test_a_name_means_what_is_built_in_or_a_file_or_a_house_rule(tmp_path):
    path = write(tmp_path, "variants/club.toml", CLUB)
    assert ruleset_named("russian", tmp_path) is load_ruleset("russian")
    assert ruleset_named("club", tmp_path) == ruleset_named(str(path), None) == read_house_rules(path)
    for folder in (None, tmp_path, tmp_path / "nowhere"):
        with pytest.raises(RulesetError, match=r"'rusian'.*nearest are russian"):
            ruleset_named("rusian", folder)
    with pytest.raises(RulesetError, match="club"):
        ruleset_named("clubb", tmp_path)


def test_a_board_may_be_configured_for_a_house_rule(tmp_path, capsys):
    club = read_house_rules(write(tmp_path, "club.toml", CLUB))
    (board,) = read_config(BOARD, "station.toml", {"club": club}).boards
    assert board.ruleset == board.settings().ruleset == club
    with pytest.raises(ConfigError, match=r"variant = 'clup': no such rule set, the nearest is club"):
        read_config(BOARD.replace("club", "clup"), "station.toml", {"club": club})
    station = write(tmp_path, "station.toml", BOARD)
    assert main(["check-config", str(station)]) == 0
    write(tmp_path, "club.toml", CLUB + "columns = 50\n")
    assert main(["check-config", str(station), "--json"]) == 2
    (fault,) = json.loads(capsys.readouterr().out.splitlines()[-1])["faults"]
    assert "columns = 50" in fault


def test_a_board_without_a_device_of_its_size_is_refused(tmp_path, capsys):
    station = write(tmp_path, "station.toml", BOARD.replace("matrix", "dgt").replace("club", "canadian"))
    assert main(["check-config", str(station)]) == 2
    assert "12x12" in capsys.readouterr().err
    station.write_text(BOARD.replace("club", "canadian"))
    assert main(["check-config", str(station)]) == 0


def table_of(ruleset, **settings):
    table = Table(ready=False)
    table.ruleset = ruleset
    given = Settings("table", ruleset, rulesets=(ruleset,), **settings)
    table.session = begin(given, load_texts("en"), "boot")
    table.stands = list(table.session.game.position.contents)
    table.regain()
    table.wait(1000)
    table.effects.clear()
    return table


def test_a_new_game_may_change_to_house_rules_and_back(tmp_path):
    club = read_house_rules(write(tmp_path, "club.toml", CLUB))
    table = table_of(club)
    assert table.session.turn == "black"
    assert table.ask("new_game", variant="russian") is None
    assert table.session.game.ruleset == load_ruleset("russian")
    assert table.ask("new_game", variant="club") is None
    assert table.session.game.ruleset == club
    refusal = table.ask("new_game", variant="ludo")
    assert refusal is not None
    assert "club" in refusal


def test_the_page_lists_house_rules_and_writes_their_games(tmp_path):
    club = read_house_rules(write(tmp_path, "club.toml", CLUB))
    table = table_of(club)
    table.play("b6-a5", "c3-b4")
    shown = json.loads(json.dumps(snapshot(table.session)))
    assert {"name": "club", "title": "Club draughts"} in variants_for(shown, load_texts("en"))
    assert {"russian", "club"} <= {variant["name"] for variant in variants_for(shown, load_texts("en"))}
    pdn = pdn_of(shown)
    assert '[Variant "club"]' in pdn
    (game,) = read_pdn(pdn, club)
    assert [move.effect for move in game.moves] == [move.effect for move in table.session.game.moves]


def test_a_game_goes_on_by_its_own_rules_when_the_file_has_been_changed(tmp_path):
    """The journal holds the whole rule set; only the next game is played by the new file."""
    path = write(tmp_path, "club.toml", CLUB)
    club = read_house_rules(path)
    game = new_game(club)
    game = game.play(game.legal_moves[0])
    path.write_text(CLUB.replace('"black"', '"white"'), encoding="utf-8")
    changed = read_house_rules(path)
    settings = BoardTable("table", "matrix", "/dev/null", variant="club", house_rules=(changed,)).settings()
    resumed = Resumed(game, 5, "0123-1", "person", "person", drawn_plies=1, opening="a table 1")
    text = encode_header(Header(FORMAT, "dambord 1", "0124", "2026-01-01T00:00:00.000Z", settings, "en"))
    assert read_journal(text)[0].settings == settings
    header = Header(FORMAT, "dambord 1", "0124", "2026-01-01T00:00:00.000Z", settings, "en", plain_resumed(resumed))
    read, lines = read_journal(encode_header(header))
    assert resumed_in(read) == resumed
    assert unfinished_game(read, lines) == resumed
    session = begin(read.settings, load_texts("en"), "0124", resumed_in(read))
    assert session.game.ruleset == club
    assert (session.drawn_plies, session.opening) == (1, "a table 1")
    table = Table(ready=False)
    table.session = session
    table.stands = list(session.game.position.contents)
    table.regain()
    assert table.ask("new_game") is None
    assert table.session.game.ruleset == changed


@pytest.mark.parametrize("name", variant_names())
def test_a_journals_header_holds_every_fact_of_a_rule_set(name):
    ruleset = load_ruleset(name)
    header = Header(FORMAT, "dambord 1", "01", "2026-01-01T00:00:00.000Z", Settings("table", ruleset), "en")
    (read, _) = read_journal(encode_header(header))
    assert read.settings.ruleset == ruleset
    assert hash(read.settings.ruleset) == hash(ruleset)


def test_the_stations_engine_plays_house_rules(tmp_path):
    club = read_house_rules(write(tmp_path, "club.toml", CLUB))
    game = new_game(club)
    engine = Engine("engine:1", club)
    try:
        engine.begin()
        # Black begins in this club: by the built-in rules its move would be no answer.
        move, _ = engine.choose(game)
    finally:
        engine.close()
    assert move.effect in {legal.effect for legal in game.legal_moves}


def test_an_engine_that_knows_no_house_rules_is_not_asked_to_play_them(tmp_path):
    club = read_house_rules(write(tmp_path, "club.toml", CLUB))
    engine = Engine(hub("illegal"), club)
    try:
        with pytest.raises(PlayerError, match="rules-file"):
            engine.begin()
    finally:
        engine.close()
