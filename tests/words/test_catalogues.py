"""The catalogues hold exactly what the program says, all of it translated with the same fields; one file a language."""

from __future__ import annotations

import re
import runpy
import string
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from core.words import Message, catalog, into, plain, spoken, tr
from core.words.measures import System, said_in
from core.words.units import US_MEASURES
from tests.worked_examples import example

TOOL = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[2] / "packaging" / "messages.py")))
CODES = sorted(path.stem for path in catalog.FOLDER.glob("*.po"))


@pytest.fixture(scope="module")
def messages() -> dict[Any, str]:
    return TOOL.messages()


def _names(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def _forms(message: Any) -> list[str]:
    return list(message.string) if isinstance(message.string, tuple | list) else [message.string]


@pytest.mark.parametrize("code", CODES)
def test_a_catalogue_holds_what_the_program_says_and_nothing_else(code: str, messages: dict[Any, str]) -> None:
    translated = {(message.id, message.context) for message in TOOL.read(catalog.FOLDER / f"{code}.po") if message.id}
    in_code = {(text.id, text.context) for text in messages}
    assert in_code - translated == set(), "run `make messages` and translate these"
    assert translated - in_code == set(), "run `make messages`: nobody says these any more"


@pytest.mark.parametrize("code", CODES)
def test_every_message_is_translated(code: str) -> None:
    lacking = [message.id for message in TOOL.read(catalog.FOLDER / f"{code}.po") if not all(_forms(message))]
    assert lacking == []


@pytest.mark.parametrize("code", CODES)
def test_a_translation_has_the_fields_of_its_message(code: str) -> None:
    wrong = []
    for message in TOOL.read(catalog.FOLDER / f"{code}.po"):
        if not message.id:
            continue
        ids = message.id if isinstance(message.id, tuple) else (message.id,)
        fields = set.union(*map(_names, ids))
        for form in filter(None, _forms(message)):
            try:
                same = _names(form) <= fields | {"count"} and (len(ids) > 1 or _names(form) == fields)
            except ValueError:
                same = False
            if not same:
                wrong.append((message.id, form))
    assert wrong == []


METRIC = re.compile(rf"100(\.0+|,0+)?[ \N{{NO-BREAK SPACE}}-]?({'|'.join(US_MEASURES)})(?![A-Za-z0-9/²³])")


@pytest.mark.parametrize("system", System)
@pytest.mark.parametrize("language", catalog.LANGUAGES)
def test_every_message_is_said_in_both_systems_without_a_leftover(
    language: str, system: System, messages: dict[Any, str]
) -> None:
    """Every figure is 100 here: one that stands before a metric unit was not converted."""
    wrong, figures = [], 0
    with spoken(language):
        for text in messages:
            names = set.union(*map(_names, filter(None, text[:2])))
            values = dict.fromkeys(names | {"count"}, 100) | ({"unit": "°C"} if "unit" in names else {})
            shown = said_in(Message(text.singular, values, text.plural, text.context), system)
            figures += bool(METRIC.search(shown))
            if (system is System.US and METRIC.search(shown)) or ("{" in shown and "{{" not in text.singular):
                wrong.append(shown)
    assert wrong == [] and (figures > 100) is (system is System.METRIC)


@pytest.mark.parametrize("code", [code for code in CODES if code.startswith("zh")])
def test_chinese_sentences_end_with_chinese_full_stops(code: str) -> None:
    wrong = [
        form
        for message in TOOL.read(catalog.FOLDER / f"{code}.po")
        for form in _forms(message)
        if re.search(r"[\u4e00-\u9fff]\.$", form)
    ]
    assert wrong == []


def test_the_language_of_the_worked_example_is_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, messages: dict[Any, str]
) -> None:
    file = tmp_path / "fr.po"
    file.write_text(example("A language"), encoding="utf-8")
    monkeypatch.setattr(catalog, "FOLDER", tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert catalog.languages(tmp_path) == {"en": "English", "fr": "Français"}
    assert into(tr("Slot {slot}: {title}", slot=2, title="X"), "fr") == "Emplacement 2 : X"
    assert into(plain("{share:.1f}", share=0.5), "fr") == "0,5"
    assert into(tr("Not checked"), "fr") == "Not checked"
    whole = TOOL.updated(TOOL.read(file), messages)
    assert whole.get("Slot {slot}: {title}").string == "Emplacement {slot} : {title}"
    assert whole.get("Not checked") is not None
    assert whole.language_team == "Français"
