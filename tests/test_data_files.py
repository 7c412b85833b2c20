"""The helper that finds test data."""

from __future__ import annotations

from tests.data_files import DATA, needs_shared, shared, shared_json


def test_reference_data_lies_where_the_environment_says(monkeypatch, tmp_path):
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "x.json").write_text("[1]", encoding="utf-8")
    monkeypatch.setenv("DAMBORD_TEST_DATA", str(tmp_path))
    assert shared("rules/x.json") == tmp_path / "rules" / "x.json"
    assert shared_json("rules/x.json") == [1]
    assert not needs_shared("rules/x.json").args[0]


def test_reference_data_lies_beside_the_repository_otherwise(monkeypatch):
    monkeypatch.delenv("DAMBORD_TEST_DATA", raising=False)
    assert shared("rules").parent.parent == DATA.parents[2]


def test_what_is_missing_is_named_in_the_reason(monkeypatch, tmp_path):
    monkeypatch.setenv("DAMBORD_TEST_DATA", str(tmp_path))
    mark = needs_shared("rules/y.json")
    assert mark.args[0]
    assert "rules/y.json" in mark.kwargs["reason"]
    assert shared_json("rules/y.json", "none") == "none"
