"""A message is said in the language of the program, and can be said in any other."""

from __future__ import annotations

import gettext
import json
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po
from hypothesis import given
from hypothesis import strategies as st

from core.words import (
    Message,
    catalog,
    english,
    from_json,
    into,
    joined,
    lowered,
    plain,
    spoken,
    to_json,
    tr,
    translated,
    trc,
    trn,
)
from core.words.measures import System, said_in

GERMAN = {
    "Slot {slot} holds {card}.": "In Steckplatz {slot} steckt {card}.",
    ("{count} card", "{count} cards"): ("{count} Karte", "{count} Karten"),
    "{watts:,.1f} W": "{watts:,.1f} W",
    "a card": "eine Karte",
    "Wrong {field}": "Falsch {other}",
}


@pytest.fixture(autouse=True)
def german(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A small German, compiled as the real one is."""
    made = Catalog(locale="de")
    for text, translation in GERMAN.items():
        made.add(text, translation)
    made.add("Check", "Prüfen", context="verb")
    with (tmp_path / "de.po").open("wb") as file:
        write_po(file, made)
    monkeypatch.setattr(catalog, "FOLDER", tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    catalog.translations.cache_clear()
    yield
    catalog.translations.cache_clear()


def test_a_message_is_its_english_text_and_another_language_says_it_with_the_same_fields() -> None:
    message = tr("Slot {slot} holds {card}.", slot=3, card="X")
    assert (message, into(message, "de")) == ("Slot 3 holds X.", "In Steckplatz 3 steckt X.")


def test_messages_within_messages_are_said_in_the_same_language_by_another_process_too() -> None:
    message = tr("Slot {slot} holds {card}.", slot=3, card=tr("a card"))
    copied = pickle.loads(pickle.dumps(message))
    assert [into(one, "de") for one in (message, copied)] == ["In Steckplatz 3 steckt eine Karte."] * 2


def test_a_control_has_the_name_that_commands_have_for_it_or_that_of_who_shows_the_message() -> None:
    message = tr("{first} Give {--slots}.", first=tr("See {rigwright runs}."))
    assert (message, into(message, "de")) == ("See rigwright runs. Give --slots.",) * 2
    names = {"--slots": tr("a card"), "--room": "never"}
    assert said_in(message, System.US, names) == "See rigwright runs. Give a card."
    with spoken("de"):
        assert said_in(message, System.METRIC, names) == "See rigwright runs. Give eine Karte."
    with pytest.raises(KeyError):
        tr("Give {slots}.")


def test_plurals_follow_the_language() -> None:
    cards = [into(trn("{count} card", "{count} cards", count=n), "de") for n in (0, 1, 2)]
    assert cards == ["0 Karten", "1 Karte", "2 Karten"]
    assert trn("{count} card", "{count} cards", count=2) == "2 cards"


def test_numbers_take_the_marks_of_the_language() -> None:
    message = tr("{watts:,.1f} W", watts=1234.56)
    assert (str(message), into(message, "de")) == ("1234.6 W", "1234,6 W")
    assert into(plain("{share:.2f}", share=0.25), "de") == "0,25"


def test_lowered_within_a_sentence_only_english_begins_with_a_small_letter() -> None:
    phrase = lowered(tr("Slot {slot} holds {card}.", slot=3, card="X"))
    assert (phrase, into(phrase, "de")) == ("slot 3 holds X.", "In Steckplatz 3 steckt X.")
    both = tr("{first}, and {second}", first=tr("a card"), second=phrase)
    assert (both, into(both, "de")) == ("a card, and slot 3 holds X.", "eine Karte, and In Steckplatz 3 steckt X.")
    with spoken("de"):
        assert english(lowered(tr("Slot {slot} holds {card}.", slot=3, card="X"))) == "slot 3 holds X."
    assert lowered("Plain text") == "plain text"


def test_chinese_keeps_latin_letters_and_digits_apart_and_its_own_together(tmp_path: Path) -> None:
    made = Catalog(locale="zh_CN")
    made.add("Slot {slot} holds {card}.", "插槽{slot}的{card} 正常。")
    made.add("a card", "显卡")
    with (tmp_path / "zh_CN.po").open("wb") as file:
        write_po(file, made)
    assert into(tr("Slot {slot} holds {card}.", slot=3, card="X1"), "zh_CN") == "插槽 3 的 X1 正常。"
    assert into(tr("Slot {slot} holds {card}.", slot=3, card=tr("a card")), "zh_CN") == "插槽 3 的显卡正常。"


def test_marks_between_chinese_items_are_chinese_and_those_within_an_item_its_own() -> None:
    items = joined(["GPU 2, GPU 3", plain("{slot} ({label})", slot=6, label="PCIEX1_2"), "x4"], ", ")
    assert items.into("zh_TW") == "GPU 2, GPU 3，6（PCIEX1_2），x4"
    assert items.into("de") == english(items) == "GPU 2, GPU 3, 6 (PCIEX1_2), x4"


def test_what_is_said_within_spoken_is_said_in_that_language() -> None:
    with spoken("de"):
        message = tr("Slot {slot} holds {card}.", slot=3, card="X")
        assert message == "In Steckplatz 3 steckt X."
    assert english(message) == "Slot 3 holds X."


def test_an_english_sentence_says_what_was_made_in_another_language_in_english() -> None:
    with spoken("de"):
        made = tr("a card")
    message = tr("Slot {slot} holds {card}.", slot=3, card=made)
    assert (made.into("de"), message) == ("eine Karte", "Slot 3 holds a card.")


def test_a_context_tells_one_word_from_another() -> None:
    assert into(trc("verb", "Check"), "de") == "Prüfen"
    assert into(tr("Check"), "de") == "Check"


def test_what_has_no_translation_and_what_has_a_wrong_field_stay_english() -> None:
    assert into(tr("Nobody translated this."), "de") == "Nobody translated this."
    assert into(tr("Wrong {field}", field=1), "de") == "Wrong 1"


def test_sentences_one_after_the_other_stay_messages() -> None:
    both = joined([tr("a card"), "", tr("Slot {slot} holds {card}.", slot=1, card="Y")])
    assert (str(both), into(both, "de")) == ("a card Slot 1 holds Y.", "eine Karte In Steckplatz 1 steckt Y.")


def test_text_of_assets_may_hold_braces() -> None:
    assert translated("uses {braces}") == "uses {braces}"


def test_english_reaches_into_values() -> None:
    with spoken("de"):
        values = {"a": [tr("a card")], "b": (trn("{count} card", "{count} cards", count=1), 5)}
    assert english(values) == {"a": ["a card"], "b": ("1 card", 5)}


def test_a_message_keeps_only_the_fields_that_it_names() -> None:
    shared = {"slot": 3, "card": tr("a card"), "{watts}": 1, "watts": 300, "count": 2}
    assert tr("Slot {slot:.0f} holds {card!s}.", **shared).parts[1] == {"slot": 3, "card": "a card"}
    assert trn("a card", "{watts} cards", **shared).parts[1] == {"watts": 300, "count": 2}
    assert tr("{{watts}} of {{{card}}}", **shared).as_dict()["with"] == {"card": tr("a card").as_dict()}
    assert translated("{watts}").parts[1] == {}


def test_a_message_of_an_older_record_is_read_without_the_fields_that_it_does_not_name() -> None:
    read = from_json({"say": "Slot {slot} holds {card}.", "with": {"slot": 3, "card": "X", "instead": "Y"}})
    assert isinstance(read, Message)
    assert (read, read.as_dict()["with"]) == ("Slot 3 holds X.", {"slot": 3, "card": "X"})


@given(st.text(), st.integers() | st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 10**6))
def test_json_keeps_a_message_whole(card: str, watts: float, count: int) -> None:
    message = joined(
        [
            tr("Slot {slot} holds {card}.", slot=watts, card=card),
            trn("{count} card", "{count} cards", count=count),
            tr("{watts:,.1f} W", watts=watts),
            tr("Give {--slots}, or see {rigwright as-built --slot}."),
        ]
    )
    read = from_json(json.loads(json.dumps(to_json(message))))
    assert read == message
    assert into(read, "de") == into(message, "de")


@pytest.mark.parametrize(
    "value",
    [
        None,
        3,
        [],
        {"say": 3, "with": {}},
        {"say": "{x}", "with": {}},
        {"say": "{x.__class__}", "with": {"x": 1}},
        {"say": "{x:999999999}", "with": {"x": 1}},
        {"say": "{--x:999999999}", "with": {}},
        {"say": "{--x.__class__}", "with": {"--x": 1}},
        {"say": "{0}", "with": {"x": 1}},
        {"say": "{x", "with": {"x": 1}},
        {"say": "{x:d}", "with": {"x": "text"}},
        {"say": "one", "plural": "many", "with": {}},
    ],
)
def test_what_no_message_wrote_is_refused(value: object) -> None:
    assert from_json(value) is None


def test_the_compiled_catalogue_is_kept_and_made_anew_when_its_source_changes(tmp_path: Path) -> None:
    into(tr("a card"), "de")
    (first,) = (tmp_path / "cache" / "rigwright").glob("de-*.mo")
    with first.open("rb") as file:
        assert gettext.GNUTranslations(file).gettext("a card") == "eine Karte"
    (tmp_path / "de.po").write_text((tmp_path / "de.po").read_text().replace("eine Karte", "die Karte"))
    catalog.translations.cache_clear()
    assert into(tr("a card"), "de") == "die Karte"
    assert first not in set((tmp_path / "cache" / "rigwright").glob("*"))


def test_a_damaged_cache_is_made_anew(tmp_path: Path) -> None:
    into(tr("a card"), "de")
    (cached,) = (tmp_path / "cache" / "rigwright").glob("de-*.mo")
    cached.write_bytes(b"\0" * 40)
    catalog.translations.cache_clear()
    assert into(tr("a card"), "de") == "eine Karte"
