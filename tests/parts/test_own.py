"""The user's own parts and corrections: they survive upgrades, and nothing wrong gets in."""

import re
import shlex
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from core.parts.catalogue import Catalogue
from core.parts.entered import as_typed, figure, figure_of
from core.parts.own import Correction, checked, corrected, correction, read_parts, write_parts
from core.parts.part import Evidence, Origin, Part, Price
from core.parts.specs import GpuSpec
from core.parts.vocabulary import Category
from core.platform.errors import BadInput
from tests.shipped import every_part

TODAY = date(2026, 11, 21)
ID = "asus-turbo-3090"


def spec(catalogue: Catalogue, part_id: str = ID) -> GpuSpec:
    spec = catalogue.require(part_id).spec
    assert isinstance(spec, GpuSpec)
    return spec


def test_a_corrected_figure_holds_with_its_own_source(catalogue: Catalogue) -> None:
    catalogue.correct({ID: correction({"length_mm": 268.0}, title="My ruler")})
    part = catalogue.require(ID)
    assert (part.origin, spec(catalogue).length_mm, spec(catalogue).memory_gb) == (Origin.USER, 268, 24)
    assert part.evidence("length_mm") is Evidence.UNCONFIRMED
    assert part.evidence("memory_gb") is Evidence.CONFIRMED, "what was not touched keeps its source"
    catalogue.correct({ID: correction({"length_mm": 268.5}, title="Data sheet", url="https://example.org/sheet")})
    assert catalogue.require(ID).evidence("length_mm") is Evidence.CONFIRMED
    assert [source.title for source in catalogue.require(ID).sources] == ["Data sheet", "Maker's page"]


def test_a_correction_can_make_a_figure_unknown(catalogue: Catalogue) -> None:
    catalogue.correct({ID: correction({"memory_gb": None})})
    assert spec(catalogue).memory_gb is None
    assert catalogue.require(ID).evidence("memory_gb") is Evidence.UNKNOWN


def test_corrections_pile_up_and_go_together(catalogue: Catalogue) -> None:
    catalogue.correct({ID: correction({"length_mm": 268.0}, note="from the shop")})
    catalogue.correct({ID: correction({}, price=Price(amount=1400, currency="EUR", as_of=TODAY, kind="own"))})
    part = catalogue.require(ID)
    assert (spec(catalogue).length_mm, part.note, part.price and part.price.amount) == (268, "from the shop", 1400)
    assert set(catalogue.corrections()) == {ID}
    catalogue.delete_user_part(ID)
    assert catalogue.corrections() == {}
    assert catalogue.require(ID).origin is Origin.SHIPPED


def test_an_upgrade_brings_new_figures_and_keeps_the_correction(tmp_path: Path, shipped: Path) -> None:
    first = Catalogue(tmp_path, shipped=shipped)
    first.correct({ID: correction({"length_mm": 268.0})})
    first.close()
    file = shipped / "gpu/cards.toml"
    file.write_text(file.read_text().replace("power_limit_w = 350", "power_limit_w = 370, length_mm = 300"))
    second = Catalogue(tmp_path, shipped=shipped)
    assert (spec(second).length_mm, spec(second).power_limit_w) == (268, 370)
    assert second.counts()[Category.GPU] == 2
    second.close()


def test_a_correction_outlives_its_part(tmp_path: Path, shipped: Path) -> None:
    first = Catalogue(tmp_path, shipped=shipped)
    first.correct({ID: correction({"length_mm": 268.0})})
    first.close()
    (shipped / "gpu/cards.toml").write_text("")
    second = Catalogue(tmp_path, shipped=shipped)
    assert (spec(second).length_mm, spec(second).power_limit_w) == (268, 350)
    second.close()


def test_a_part_of_ones_own_is_changed_itself(catalogue: Catalogue, own_part: Any) -> None:
    catalogue.save_user_part(own_part("own-card"))
    catalogue.correct({"own-card": correction({"length_mm": 310.0})})
    assert spec(catalogue, "own-card").length_mm == 310
    assert catalogue.corrections() == {}
    catalogue.delete_user_part("own-card")
    assert catalogue.part("own-card") is None


@pytest.mark.parametrize(
    ("figures", "sentence"),
    [
        ({"length_mm": "long"}, r"length_mm: .*number"),
        ({"length_inch": 10}, r"length_inch: there is no such figure"),
        ({"length_mm": float("nan")}, r"length_mm: (inf|nan) is not a number"),
        ({"length_mm": 1e400}, r"length_mm: (inf|nan) is not a number"),
        ({"length_mm": -5}, r"length_mm: .*greater than 0"),
        ({"fan_count": 10**400}, r"fan_count: 10+\.\.\. is more than 1000000\."),
        ({"chip": "x" * 10_000_000}, r"chip: 'x+\.\.\. has more characters than 4000"),
        ({"chip": "\x1b[2J"}, r"a text with characters that cannot be shown"),
        ({"chip": "\u202eGA102"}, r"a text with characters that cannot be shown"),
        ({"chip": "\udcff"}, r"chip: .*string"),
        ({"cooling": "magic"}, r"cooling: 'magic' is not 'open_air', 'blower'"),
        ({"lenght_mm": 300}, r"lenght_mm: there is no such figure\. Did you mean length_mm\?"),
        ({"lenght_mm": None}, r"lenght_mm: there is no such figure\. Did you mean length_mm\?"),
        ({"length_mm": 31.3}, r"length of 31\.3 cannot be right: it must be between 100 and 500"),
        ({"power_connectors": [{"kind": "pcie_8pin"}]}, r"power_connectors.*count"),
    ],
)
def test_a_wrong_figure_is_named_and_nothing_is_saved(
    catalogue: Catalogue, figures: dict[str, Any], sentence: str
) -> None:
    before = catalogue.require(ID)
    with pytest.raises(BadInput, match=sentence):
        catalogue.correct({"msi-trio-3090-ti": correction({"length_mm": 300.0}), ID: correction(figures)})
    assert catalogue.require(ID) == before
    assert catalogue.corrections() == {}, "all or none"
    assert spec(catalogue, "msi-trio-3090-ti").length_mm == 338


def test_an_unknown_part_cannot_be_corrected(catalogue: Catalogue) -> None:
    with pytest.raises(BadInput, match="no part 'asus-turbo'"):
        catalogue.correct({"asus-turbo": correction({"length_mm": 300.0})})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("285", 285),
        ("2.7", 2.7),
        ("true", True),
        ("blower", "blower"),
        ("GeForce RTX 3090", "GeForce RTX 3090"),
        ('["SP3", "TR4"]', ["SP3", "TR4"]),
        ('[{ kind = "pcie_8pin", count = 2 }]', [{"kind": "pcie_8pin", "count": 2}]),
        ('[{"kind": "pcie_8pin", "count": 2, "rated_w": null}]', [{"kind": "pcie_8pin", "count": 2, "rated_w": None}]),
        ('"8\\/6"', "8/6"),
        ("null", None),
        ("", None),
        ("unknown", None),
        ("1\nother = 2", "1\nother = 2"),
        ("[" * 5000, "[" * 5000),
        ("9" * 5000, "9" * 5000),
    ],
)
def test_figures_are_read_as_typed(text: str, value: Any) -> None:
    assert figure(text) == value


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("compute_capability", "8.6", "8.6"),
        ("compute_capability", '"8.6"', "8.6"),
        ("compute_capability", "unknown", None),
        ("product", "3090", "3090"),
        ("length_mm", "285", 285),
        ("no_such_figure", "285", 285),
    ],
)
def test_a_number_stays_a_word_where_the_figure_is_one(field: str, text: str, value: Any) -> None:
    assert figure_of(Category.GPU, field, text) == value


@pytest.mark.parametrize(
    ("words", "sentence"),
    [({"title": "x"}, "title of"), ({"url": "ftp://a"}, "url of"), ({"note": "\udcff"}, "note of")],
)
def test_a_source_or_note_that_cannot_be_is_reported(words: dict[str, str], sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        correction({"length_mm": 268.0}, **words)  # type: ignore[arg-type]


def test_a_note_may_have_lines_but_no_control_characters(catalogue: Catalogue) -> None:
    catalogue.correct({ID: correction({}, note="one\ntwo\tthree")})
    assert catalogue.require(ID).note == "one\ntwo\tthree"
    with pytest.raises(BadInput, match="cannot be shown"):
        catalogue.correct({ID: correction({}, note="\x1b[2J")})


def test_the_same_correction_twice_is_one(catalogue: Catalogue) -> None:
    change = correction({"length_mm": 268.0}, title="My ruler")
    once = corrected(catalogue.require(ID), change)
    assert corrected(once, change) == once
    assert change.then(change) == change
    assert Correction.model_validate_json(change.model_dump_json()) == change


# -- as a file ---------------------------------------------------------------------------------------------------


def test_own_parts_go_out_and_come_back(catalogue: Catalogue, own_part: Any, tmp_path: Path) -> None:
    catalogue.save_user_part(own_part("own-card"))
    catalogue.correct({ID: correction({"length_mm": 268.0}, title="My ruler", note="测量")})
    mine = list(catalogue.parts(origin=Origin.USER))
    assert write_parts(tmp_path / "mine.json", iter(mine)) == 2
    assert read_parts(tmp_path / "mine.json") == mine


def test_a_part_file_of_someone_else_may_be_wrong(tmp_path: Path, own_part: Any) -> None:
    path = tmp_path / "mine.json"
    write_parts(path, [own_part("own-card")])
    good = path.read_text()
    for text, sentence in (
        ("", "is not readable JSON"),
        ("[" * 200_000, "is not readable JSON"),
        ("[]", "not a parts file"),
        ("{}", "not a parts file"),
        (good.replace('"version": 1', '"version": 2'), "version 2"),
        (good.replace('"length_mm": 300.0', '"length_mm": "x"'), "part own-card: .*length_mm"),
        (good.replace('"own-card"', '"Own Card!"'), "part Own Card!: id"),
        (good.replace('"parts": [', '"parts": [5, '), "not a list of parts"),
        (re.sub(r'("parts": \[)(.*)(\n  \])', r"\1\2,\2\3", good, flags=re.DOTALL), "two parts with the id own-card"),
        (re.sub(r'"spec": \{.*?\}', '"spec": 5', good, flags=re.DOTALL), "part own-card: "),
    ):
        path.write_text(text)
        with pytest.raises(BadInput, match=sentence):
            read_parts(path)
    with pytest.raises(BadInput, match="cannot be read"):
        read_parts(tmp_path / "none.json")


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path, own_part: Part) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(BadInput, match="cannot be written"):
        write_parts(tmp_path / "folder", [])
    with pytest.raises(BadInput, match="cannot be written"):
        write_parts(Path("/"), [])
    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]


@pytest.mark.parametrize("text", ['[{"position": 1,', "{x}", "[" * 5000, "[1] 2", "[1]\na = [2]", f"[{'9' * 5000}]"])
def test_a_list_that_cannot_be_read_is_reported(text: str) -> None:
    with pytest.raises(BadInput, match=r"^length_mm: .{,90} is not a valid list or table in JSON or TOML: "):
        figure_of(Category.GPU, "length_mm", text)
    assert figure_of(Category.GPU, "product", text) == text, "a text may begin so"


def test_every_shipped_part_is_made_anew_from_what_show_prints() -> None:
    for part in every_part():
        printed = [as_typed(part.category, *one) for one in part.spec.model_dump(mode="json").items()]
        figures = {}
        for word in shlex.split(shlex.join(printed)):
            field, _, typed = word.partition("=")
            figures[field] = figure_of(part.category, field, typed)
        stated = {field: value for field, value in figures.items() if value is not None}
        made = checked({"id": "anew", "maker": "M", "name": "N", "sources": [{"title": "Own"}], "spec": stated})
        assert made.spec == part.spec, part.id
