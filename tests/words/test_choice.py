"""Which language the program speaks."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.words.choice import VARIABLE, chosen_language, keep_language, kept_language

SYSTEM = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")


@pytest.fixture(autouse=True)
def nothing_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An environment without a word about languages."""
    for name in (VARIABLE, *SYSTEM):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


@pytest.mark.parametrize(
    ("locale", "language"),
    [
        ("de_AT.UTF-8", "de"),
        ("zh_CN.UTF-8", "zh_CN"),
        ("zh_SG", "zh_CN"),
        ("zh_HK.UTF-8", "zh_TW"),
        ("zh-Hant", "zh_TW"),
        ("zh_Hant_TW", "zh_TW"),
        ("fr_FR.UTF-8", "en"),
        ("C", "en"),
    ],
)
def test_the_language_of_the_system(monkeypatch: pytest.MonkeyPatch, locale: str, language: str) -> None:
    monkeypatch.setenv("LANG", locale)
    assert chosen_language() == language


def test_without_any_word_it_is_english() -> None:
    assert chosen_language() == "en"


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


def test_lc_all_decides_over_lang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert chosen_language() == "en"


def test_a_damaged_choice_is_none(tmp_path: Path) -> None:
    (tmp_path / "rigwright").mkdir()
    (tmp_path / "rigwright" / "language").write_bytes(b"\xff\xfe" * 80)
    assert kept_language() is None


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(ValueError, match="xx"):
        keep_language("xx")
