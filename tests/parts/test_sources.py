"""What a source says of single figures: it covers them, is held against them, and goes with them."""

import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from core.parts.catalogue import Catalogue
from core.parts.own import correction
from core.parts.part import Evidence, Part, Source
from core.parts.specs import GpuSpec
from core.plan.build import Build
from core.plan.file import dump_build, parse_build
from core.plan.line import Line
from core.platform.errors import BadInput
from tests.parts.contributed import read_contribution

PAGE = "https://example.org/turbo"
QUOTED = Source(title="A review", url="https://review.example/turbo", says={"length_mm": 268, "height_mm": "low"})
CARD = """
[[part]]
id = "asus-turbo-3090"
maker = "ASUS"
name = "TURBO-RTX3090-24G"
year = 2020
spec = { product = "GeForce RTX 3090", cooling = "blower", length_mm = 268 }
sources = [
  { title = "Maker's page", url = "https://example.org/turbo", fields = ["product", "cooling"] },
  { title = "A review", url = "https://review.example/turbo", says = { SAYS } },
]
"""


def card(*sources: Source) -> Part:
    spec = GpuSpec(product="GeForce RTX 3090", length_mm=268, height_mm=111)
    return Part(id="card", maker="Maker", name="Card", spec=spec, sources=sources)


def written(folder: Path, says: str) -> Path:
    path = folder / "gpu" / "cards.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(CARD.replace("SAYS", says))
    return path


def test_a_part_cannot_be_changed_and_needs_a_source() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        card(QUOTED).name = "Other"  # type: ignore[misc]
    with pytest.raises(ValidationError, match="sources"):
        card()


def test_what_a_source_says_it_covers() -> None:
    part = card(QUOTED)
    assert QUOTED.covered == ("length_mm", "height_mm")
    assert part.evidence("length_mm") is Evidence.CONFIRMED
    assert part.evidence("product") is Evidence.UNCONFIRMED


def test_said_figures_and_named_ones_together_count_once() -> None:
    source = QUOTED.model_copy(update={"fields": ("length_mm", "product")})
    assert source.covered == ("length_mm", "product", "height_mm")


@pytest.mark.parametrize(
    ("says", "sentence"),
    [
        ("length_mm = 268", ""),
        ('length_mm = "268 mm without bracket"', ""),
        ("length_mm = 268, year = 2020", ""),
        ("length_mm = 267", "'A review' says 267 for length_mm, the part has 268.0"),
        ("length_mm = 268, height_mm = 111", "says 111 for height_mm, the part has none"),
        ("length_mm = 268, colour = 3", "unknown fields"),
    ],
)
def test_what_a_source_says_is_held_against_the_part(tmp_path: Path, says: str, sentence: str) -> None:
    path = written(tmp_path, says)
    if not sentence:
        assert read_contribution(path)[0].sources[1].says is not None
        return
    with pytest.raises(BadInput, match=sentence):
        read_contribution(path)


def test_a_confirmed_figure_needs_a_link_that_stays(tmp_path: Path) -> None:
    """A branch moves; with the commit, or as a source that nobody read, the file is valid."""
    path = written(tmp_path, "length_mm = 268")
    text = path.read_text()
    on_branch = "https://github.com/owner/cards/blob/main/cards.csv"
    path.write_text(text.replace("https://review.example/turbo", on_branch))
    with pytest.raises(BadInput, match=f"'A review' leads to {re.escape(on_branch)}"):
        read_contribution(path)
    path.write_text(text.replace("https://review.example/turbo", on_branch.replace("main", "136a77a")))
    assert read_contribution(path)[0].sources[1].confirms
    path.write_text(text.replace('"https://review.example/turbo"', f'"{on_branch}", read = false'))
    assert not read_contribution(path)[0].sources[1].confirms
    path.write_text(text.replace("says = { length_mm = 268 }", 'about = "chip"'))
    with pytest.raises(BadInput, match="'A review' is not about the part itself"):
        read_contribution(path)


def test_a_source_says_no_tables() -> None:
    with pytest.raises(ValidationError):
        Source.model_validate({"title": "A page", "url": PAGE, "says": {"slots": [1, 2]}})


@pytest.mark.parametrize(
    ("names", "left"),
    [
        ({"length_mm"}, {"height_mm": "low"}),
        ({"product"}, {"length_mm": 268, "height_mm": "low"}),
        ({"length_mm", "height_mm"}, None),
    ],
)
def test_a_figure_leaves_a_source(names: set[str], left: dict[str, object] | None) -> None:
    rest = QUOTED.without(names)
    assert (rest.says if rest else None) == left


def test_a_source_of_all_other_figures_stays_one() -> None:
    page = Source(title="Maker's page", url=PAGE)
    assert page.without({"length_mm"}) == page


def test_a_corrected_figure_takes_what_was_said_of_it(catalogue: Catalogue) -> None:
    catalogue.save_user_part(card(QUOTED, Source(title="Maker's page", url=PAGE)))
    catalogue.correct({"card": correction({"length_mm": 270.0}, title="My ruler")})
    changed = catalogue.require("card")
    assert [source.says for source in changed.sources] == [None, {"height_mm": "low"}, None]
    assert changed.evidence("length_mm") is Evidence.UNCONFIRMED


def test_a_build_carries_what_was_said() -> None:
    build = Build("A machine", (Line(card(QUOTED)),))
    assert parse_build(dump_build(build), lambda _: None) == build
