"""What was typed becomes a part of one's own or a correction, with the right sources."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parts.catalogue import Catalogue
from core.parts.entered import (
    Entered,
    free_id,
    full_correction,
    nothing_changed,
    own_part,
    plain_figures,
    slug,
    source_of,
)
from core.parts.own import OWN_WORD, corrected
from core.parts.part import Evidence, Origin, Price
from core.parts.vocabulary import Category
from core.platform.errors import BadInput


@pytest.fixture
def turbo(data_dir):
    catalogue = Catalogue(data_dir)
    yield catalogue.require("asus-turbo-3090")
    catalogue.close()


def entered(part, **changes):
    figures = plain_figures(part) | changes.pop("figures", {})
    source, address = source_of(part, None)
    start = {"source": source, "address": address, "note": part.note, "price": part.price, "year": part.year}
    origin = start | {"part_numbers": part.part_numbers} | changes
    return Entered(part.category, part.id, part.maker, part.name, figures=figures, **origin)


def first_correction(turbo, **changes):
    return full_correction(entered(turbo, **changes), shown=turbo, beneath=turbo, earlier=None)


def psu(figures, **origin):
    return Entered(Category.PSU, "own-psu", "Own", "PSU", figures=figures, **origin)


LABEL = {"source": "Label", "address": "https://a.b/c"}


def test_an_id_is_made_of_maker_and_name():
    assert slug("ASUS", "TURBO-RTX3090-24G") == "asus-turbo-rtx3090-24g"
    assert slug("Ünïcorn", "  A/B  ") == "unicorn-a-b"
    assert slug("华硕", "显卡") == ""


@given(st.text(max_size=200), st.text(max_size=200))
def test_an_id_always_has_the_form_of_one(maker, name):
    made = slug(maker, name)
    assert made == "" or (made.strip("-") == made and len(made) <= 80 and "--" not in made)


def test_a_taken_id_gets_a_number():
    assert free_id("card", {"card", "card-2"}.__contains__) == "card-3"
    assert free_id("", lambda _: True) == ""


def test_a_new_part_has_one_source_for_all_figures():
    made = own_part(psu({"power_w": 1200}, **LABEL))
    assert made.origin is Origin.USER
    assert made.evidence("power_w") is Evidence.CONFIRMED
    bare = own_part(psu({"power_w": 1200}))
    assert bare.sources[0].title == OWN_WORD
    assert bare.evidence("power_w") is Evidence.UNCONFIRMED


def test_a_correction_holds_only_what_differs(turbo):
    change = first_correction(turbo, figures={"length_mm": 270}, source="Measured", address="")
    assert change.spec == {"length_mm": 270}
    assert change.price is None
    assert change.note is None
    part = corrected(turbo, change)
    assert part.evidence("length_mm") is Evidence.UNCONFIRMED
    assert part.evidence("memory_gb") is Evidence.CONFIRMED


def test_nothing_typed_is_no_correction(turbo):
    assert nothing_changed(first_correction(turbo))


def test_an_earlier_figure_keeps_its_source_and_can_go_back_alone(turbo):
    first = first_correction(turbo, figures={"length_mm": 270, "height_mm": 112}, source="Ruler")
    now = corrected(turbo, first)
    again = entered(now, figures={"height_mm": None, "memory_gb": 48}, **LABEL)
    second = full_correction(again, shown=now, beneath=turbo, earlier=first)
    assert second.spec == {"length_mm": 270, "memory_gb": 48}
    by_field = {field: source.title for source in second.sources for field in source.fields}
    assert by_field == {"length_mm": "Ruler", "memory_gb": "Label"}


def test_another_source_alone_covers_all_corrected_figures(turbo):
    first = first_correction(turbo, figures={"length_mm": 270}, source="Ruler")
    now = corrected(turbo, first)
    second = full_correction(entered(now, **LABEL), shown=now, beneath=turbo, earlier=first)
    assert corrected(turbo, second).evidence("length_mm") is Evidence.CONFIRMED


def test_a_shipped_price_cannot_be_emptied_but_replaced(turbo):
    with pytest.raises(BadInput, match="cannot be left empty"):
        first_correction(turbo, price=None)
    price = Price(amount=800, currency="EUR", as_of=date(2026, 1, 2), kind="own")
    change = first_correction(turbo, price=price)
    assert corrected(turbo, change).price == price


def test_an_own_part_keeps_its_source_for_what_was_not_changed():
    before = own_part(psu({"power_w": 1200, "length_mm": 160}, **LABEL))
    figures = plain_figures(before) | {"length_mm": 170}
    after = own_part(psu(figures, source="Ruler"), before)
    assert after.evidence("power_w") is Evidence.CONFIRMED
    assert after.evidence("length_mm") is Evidence.UNCONFIRMED
    assert own_part(psu(figures, **LABEL), before).evidence("length_mm") is Evidence.CONFIRMED
