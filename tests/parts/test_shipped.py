"""Reading part files: what is wrong with one is said with file, part and field."""

from pathlib import Path

import pytest

from core.parts.part import Evidence
from core.parts.shipped import fingerprint, shipped_parts
from core.parts.vocabulary import Bar1Kind
from core.platform.errors import BadInput

GOOD = """
[[part]]
id = "some-card"
maker = "Maker"
name = "Card"
[part.spec]
product = "GeForce RTX 3090"
width_slots = 2
[[part.sources]]
title = "Maker's page"
"""


def written(tmp_path: Path, text: str | bytes, place: str = "gpu/cards.toml") -> Path:
    """A catalogue folder with one file in it."""
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return tmp_path


def test_a_good_file_gives_its_parts(tmp_path: Path) -> None:
    (part,) = shipped_parts(written(tmp_path, GOOD))
    assert (part.id, part.title, part.category) == ("some-card", "Maker Card", "gpu")


SHARED = """
[shared.spec]
bar1 = "resizable"
[[shared.sources]]
title = "A page on the line"
url = "https://example.org/line"
fields = ["bar1"]
"""


def test_what_a_file_says_of_all_its_parts_holds_for_each_that_says_nothing_else(tmp_path: Path) -> None:
    other = GOOD.replace("some-card", "other-card").replace("width_slots = 2", "bar1 = 'small'")
    parts = {part.id: part for part in shipped_parts(written(tmp_path, SHARED + GOOD + other))}
    assert {id_: part.spec.model_dump()["bar1"] for id_, part in parts.items()} == {
        "some-card": Bar1Kind.RESIZABLE,
        "other-card": Bar1Kind.SMALL,
    }
    assert [source.title for source in parts["some-card"].sources] == ["Maker's page", "A page on the line"]
    assert parts["some-card"].evidence("bar1") is Evidence.CONFIRMED


def test_an_empty_file_or_folder_gives_none(tmp_path: Path) -> None:
    assert list(shipped_parts(written(tmp_path, ""))) == []
    assert list(shipped_parts(tmp_path / "nowhere")) == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[[part]\n", r"cards\.toml is not valid TOML: .*line 1"),
        (b"name = '\xff\xfe'", r"cards\.toml cannot be read: it is not UTF-8 text"),
        (GOOD.replace("[[part]]", "[[parts]]"), r"cards\.toml has the unknown key 'part"),
        ("x = " + "[" * 5000, r"cards\.toml is not valid TOML: it is nested too deeply"),
        ("x = " + "9" * 5000, r"cards\.toml is not valid TOML: a number has more than 300 digits"),
        (
            GOOD.replace("width_slots = 2", f"fan_count = {10**200}"),
            r"part some-card, spec\.fan_count: .* is more than",
        ),
        (GOOD.replace("some-card", "x" * 1_000_000), r"^.{,200}x…, id: .* has more characters than 80"),
        ("shared = 3", r"cards\.toml, shared\.: .*"),
        ("[shared]\nspecs = {}", r"cards\.toml, shared\.specs: there is no such field"),
        ("series = 3", r"cards\.toml, series: this is not a table of tables, each a \[series\.NAME\]"),
        ("part = 3", r"cards\.toml: 'part' is not a list of tables"),
        ("part = [1, 2]", r"cards\.toml: 'part' is not a list of tables"),
        (GOOD.replace("width_slots", "width_slot"), r"part some-card, spec\.width_slot: there is no such field"),
        (GOOD.replace("= 2", "= 'two'"), r"part some-card, spec\.width_slots: .*number"),
        (GOOD.replace("= 2", "= 0"), r"part some-card, spec\.width_slots: .*greater than 0"),
        (GOOD.replace("= 2", "= inf"), r"part some-card, spec\.width_slots: (inf|nan) is not a number"),
        (GOOD.replace("= 2", "= nan"), r"part some-card, spec\.width_slots: (inf|nan) is not a number"),
        (GOOD.replace("width_slots = 2", "cores = -1"), r"part some-card, spec\.cores: .* is less than"),
        (GOOD.replace("maker =", "brand ="), r"part some-card, (maker: this is missing|brand: there is no such field)"),
        (GOOD.replace("some-card", "Some Card"), r"part Some Card, id: 'Some Card' does not have the form"),
        (GOOD.replace("[part.spec]", "[part.specs]"), r"part some-card has no \[part\.spec\] table"),
        (GOOD.replace("width_slots = 2", "category = 'psu'"), r"part some-card says it is a psu, not a gpu"),
        (GOOD.replace('[[part.sources]]\ntitle = "Maker\'s page"', ""), r"part some-card, sources: this is missing"),
        (GOOD + 'fields = ["widht_slots"]', r"part some-card: .*unknown fields \['widht_slots'\]"),
        (GOOD + 'url = "ftp://example.org"', r"part some-card, sources\.0\.url"),
        (GOOD + GOOD, r"cards\.toml: the id some-card is already used in .*cards\.toml"),
    ],
)
def test_a_wrong_file_is_reported_with_its_place(tmp_path: Path, text: str | bytes, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        list(shipped_parts(written(tmp_path, text)))


def test_a_folder_that_is_no_category_is_reported(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"is in the folder 'gpus', which is not a category\. Known: gpu, cpu"):
        list(shipped_parts(written(tmp_path, GOOD, "gpus/cards.toml")))


def test_the_fingerprint_changes_exactly_with_names_and_contents(tmp_path: Path) -> None:
    first = fingerprint(written(tmp_path / "a", GOOD))
    assert fingerprint(written(tmp_path / "b", GOOD)) == first
    assert fingerprint(written(tmp_path / "c", GOOD, "gpu/other.toml")) != first
    assert fingerprint(written(tmp_path / "b", GOOD + "\n")) != first
    assert fingerprint(written(tmp_path / "a", "", "psu/new.toml")) != first
