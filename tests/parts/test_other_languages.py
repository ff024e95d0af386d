"""Parts in another language: what is stored stays English, what is read is said anew."""

from pathlib import Path

import pytest

from core.parts.catalogue import Catalogue
from core.parts.contribution import file_schema
from core.parts.figures import field_words, figure_heading, listed_word
from core.parts.quarantined import Quarantined
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.edits import SetDetails
from core.plan.line import Line
from core.predict.price import price_of
from core.words import english, into, spoken, tr

PSEUDO = "pseudo"
SHORT_LINE = "24 GB, 350 W, 2 slots, blower"


def short_line(catalogue: Catalogue) -> str:
    (hit,) = catalogue.search("turbo")
    return hit.summary


def test_the_short_line_of_a_hit_is_said_in_the_language_of_the_reader(catalogue: Catalogue) -> None:
    assert short_line(catalogue) == SHORT_LINE
    with spoken(PSEUDO):
        assert short_line(catalogue) == "24 GB, 350 W, ⟦2 slots⟧, ⟦blower⟧"
        assert english(short_line(catalogue)) == SHORT_LINE


def test_a_catalogue_that_was_made_in_another_language_is_searched_in_english(tmp_path: Path, shipped: Path) -> None:
    with spoken(PSEUDO):
        Catalogue(tmp_path, shipped=shipped).close()
    opened = Catalogue(tmp_path, shipped=shipped)
    assert short_line(opened) == SHORT_LINE
    assert [hit.id for hit in opened.search("graphics blower 2 slots")] == ["asus-turbo-3090"]
    opened.close()


def test_why_a_figure_was_left_out_is_kept_in_english_and_read_in_any_language() -> None:
    with spoken(PSEUDO):
        row = Quarantined("a.json", "Card", "length_mm", "3", tr("is outside {low:g} to {high:g}", low=100, high=500))
    again = Quarantined.restored(**row.stored)
    assert again.reason == "is outside 100 to 500"
    assert into(again.reason, PSEUDO) == "⟦is outside 100 to 500⟧"


@pytest.mark.parametrize("reason", ["is not a number", '{"say": 3}', "[1", ""])
def test_a_reason_of_a_former_version_is_read_as_it_is(reason: str) -> None:
    assert Quarantined.restored("a.json", "Card", "", "", reason).reason == reason


def test_figures_and_their_words_follow_the_language() -> None:
    assert into(field_words("power_limit_w"), PSEUDO) == "⟦power limit⟧"
    assert into(listed_word("cooling", "open_air"), PSEUDO) == "⟦open-air⟧"
    with spoken(PSEUDO):
        assert figure_heading("power_limit_w") == "⟦power limit⟧, W"
        schema = file_schema(Category.GPU)
    assert schema == file_schema(Category.GPU), "for editors, always in English"


def test_what_a_build_costs_and_what_was_changed_can_be_said_in_another_language(catalogue: Catalogue) -> None:
    build = Build("A build", (Line(catalogue.require("corsair-ax1600i"), 2),))
    assert into(price_of(build).words, PSEUDO) == "⟦⟦unknown⟧ plus 2 parts without a price⟧"
    title = SetDetails(name="B", notes="C").title
    assert (title, into(title, PSEUDO)) == ("Change name and notes", "⟦Change ⟦⟦name⟧ and ⟦notes⟧⟧⟧")
