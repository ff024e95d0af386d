"""Which language the program speaks."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.words.catalog import VARIABLE, chosen_language, keep_language, kept_language

SYSTEM = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")


@pytest.fixture(autouse=True)
def nothing_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An environment without a word about languages."""
    for name in (VARIABLE, *SYSTEM):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


@pytest.mark.parametrize(
    ("system", "language"),
    [
        ({}, "en"),
        ({"LANG": "de_AT.UTF-8"}, "de"),
        ({"LANG": "zh_CN.UTF-8"}, "zh_CN"),
        ({"LANG": "zh_SG"}, "zh_CN"),
        ({"LANG": "zh_HK.UTF-8"}, "zh_TW"),
        ({"LANG": "zh-Hant"}, "zh_TW"),
        ({"LANG": "zh_Hant_TW"}, "zh_TW"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
        ({"LANG": "C"}, "en"),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "C.UTF-8"}, "en"),
    ],
)
def test_the_language_of_the_system(monkeypatch: pytest.MonkeyPatch, system: dict[str, str], language: str) -> None:
    for name, locale in system.items():
        monkeypatch.setenv(name, locale)
    assert chosen_language() == language


def test_the_choice_of_the_user_comes_before_the_system_and_the_variable_before_both(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    keep_language("zh_TW")
    assert (kept_language(), chosen_language()) == ("zh_TW", "zh_TW")
    monkeypatch.setenv(VARIABLE, "zh_CN")
    assert chosen_language() == "zh_CN"
    monkeypatch.delenv(VARIABLE)
    keep_language(None)
    assert chosen_language() == "de"


def test_a_damaged_choice_is_none(tmp_path: Path) -> None:
    (tmp_path / "rigwright").mkdir()
    (tmp_path / "rigwright" / "language").write_bytes(b"\xff\xfe" * 80)
    assert kept_language() is None


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(ValueError, match="xx"):
        keep_language("xx")
