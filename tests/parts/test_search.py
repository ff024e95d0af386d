"""What a person types, and what the catalogue finds."""

from collections.abc import Callable
from datetime import date

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from core.parts.board import CarrierSeat
from core.parts.catalogue import Catalogue
from core.parts.part import Origin, Part, Price
from core.parts.query import Filter, Query
from core.parts.search import called
from core.parts.specs import CarrierSpec, GpuSpec, PsuSpec, RiserSpec
from core.parts.vocabulary import CarrierKind, Category, GpuCooling, SeatKind

MakePart = Callable[..., Part]


def ids(catalogue: Catalogue, text: str, category: Category | None = None) -> list[str]:
    return [hit.id for hit in catalogue.search(text, category)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3090 blower 2 slot", ["asus-turbo-3090"]),
        ("3090 blower 2-slot", ["asus-turbo-3090"]),
        ("3090 blo", ["asus-turbo-3090"]),
        ("BLOWER Rtx", ["asus-turbo-3090"]),
        ("90YV0F94-M0NM00", ["asus-turbo-3090"]),
        ("90yv0f94m0nm", ["asus-turbo-3090"]),
        ("3090ti", ["msi-trio-3090-ti"]),
        ("rtx3090 ti", ["msi-trio-3090-ti"]),
        ("3090 ti 4 slots", ["msi-trio-3090-ti"]),
        ("3090 ti 3.5 slots", ["msi-trio-3090-ti"]),
        ("24 gb", ["asus-turbo-3090", "msi-trio-3090-ti"]),
        ("24gb 3090", ["asus-turbo-3090", "msi-trio-3090-ti"]),
        ("graphics card open", ["msi-trio-3090-ti"]),
        ("显卡", ["asus-turbo-3090", "msi-trio-3090-ti"]),
        ("3090涡轮", ["asus-turbo-3090"]),
        ("ax 1600", ["corsair-ax1600i"]),
        ("AX-1600i", ["corsair-ax1600i"]),
        ("电源 1600 W", ["corsair-ax1600i"]),
        ("卡显", []),
        ("3090 nonsense", []),
    ],
)
def test_words_find(catalogue: Catalogue, text: str, expected: list[str]) -> None:
    assert sorted(ids(catalogue, text)) == expected


def test_a_number_belongs_to_the_unit_behind_it(catalogue: Catalogue, own_part: MakePart) -> None:
    catalogue.save_user_part(own_part(name="Duo 2", spec=GpuSpec(product="Card", width_slots=3)))
    assert ids(catalogue, "2 slot") == ["asus-turbo-3090"]
    assert ids(catalogue, "duo 2 slot") == ["own-card"], "rather a looser answer than none"


def test_a_carrier_answers_to_the_sockets_that_it_has(catalogue: Catalogue, own_part: MakePart) -> None:
    slot, oculink = CarrierSeat(number=1, lanes=4), CarrierSeat(number=1, kind=SeatKind.OCULINK, lanes=4)
    for name, seat in (("plain", slot), ("ports", oculink)):
        spec = CarrierSpec(kind=CarrierKind.ADAPTER, host=SeatKind.M2, host_lanes=4, seats=(seat,))
        catalogue.save_user_part(own_part(f"own-{name}", name=f"A {name}, M.2", spec=spec))
    assert ids(catalogue, "OCuLink adapter M.2") == ["own-ports"]
    assert ids(catalogue, "M.2 adapter") == ["own-plain", "own-ports"]


@pytest.mark.parametrize("text", ["riser 20 cm", "20cm riser", "riser 200mm", "200 mm riser"])
def test_a_length_is_found_in_both_its_units(catalogue: Catalogue, own_part: MakePart, text: str) -> None:
    for length in (200, 300):
        spec = RiserSpec(generation=4, lanes=16, length_mm=length)
        catalogue.save_user_part(own_part(f"own-{length}", name="Riser", spec=spec))
    assert ids(catalogue, text) == ["own-200"]


def test_parts_beside_them_do_not_turn_round_what_is_equally_good(catalogue: Catalogue, own_part: MakePart) -> None:
    for name in ("QX-1 of a longer name", "QX-2"):
        catalogue.save_user_part(own_part(f"own-{name[:4].lower()}", name=name))
    orders = set()
    for number in range(40):
        catalogue.save_user_part(own_part(f"beside-{number}", name=f"Another {number}"))
        orders.add(tuple(ids(catalogue, "own QX")))
    assert orders == {("own-qx-2", "own-qx-1")}, "the plainer name first, whatever stands beside them"


def test_a_mining_card_answers_to_both_its_names(catalogue: Catalogue, own_part: MakePart) -> None:
    spec = GpuSpec(product="GV100")
    catalogue.save_user_part(own_part("own-cmp", maker="NVIDIA", name="CMP 100-210 16GB", spec=spec))
    assert ids(catalogue, "CMP 100-210") == ids(catalogue, "CMP 100HX") == ["own-cmp"]


def test_a_category_narrows_the_search(catalogue: Catalogue) -> None:
    assert ids(catalogue, "1600", Category.PSU) == ["corsair-ax1600i"]
    assert ids(catalogue, "1600", Category.GPU) == []


@pytest.mark.parametrize("text", ["", "   ", '"', "*-()", "\x00"])
def test_without_a_word_all_are_listed_by_title(catalogue: Catalogue, text: str) -> None:
    assert ids(catalogue, text, Category.GPU) == ["asus-turbo-3090", "msi-trio-3090-ti"]
    assert ids(catalogue, text) == ["asus-turbo-3090", "corsair-ax1600i", "msi-trio-3090-ti"]


def test_a_word_in_the_title_counts_more_than_one_in_the_figures(catalogue: Catalogue, own_part: MakePart) -> None:
    for number in range(6):
        catalogue.save_user_part(own_part(f"own-{number}", name=f"PSU {number}", spec=PsuSpec()))
    catalogue.save_user_part(own_part("own-blower", name="Blower", spec=PsuSpec()))
    assert ids(catalogue, "blower") == ["own-blower", "asus-turbo-3090"]


def test_equally_good_answers_come_by_title(catalogue: Catalogue, own_part: MakePart) -> None:
    for maker in ("Cherry", "apple", "Banana"):
        catalogue.save_user_part(own_part(f"own-{maker.lower()}", maker=maker, name="Gale", spec=PsuSpec()))
    assert ids(catalogue, "gale") == ["own-apple", "own-banana", "own-cherry"]


def test_among_equally_good_answers_a_plain_sister_comes_first(catalogue: Catalogue, own_part: MakePart) -> None:
    """Then those of the plainest chip, then those that lack least; titles alone would put each last."""
    whole = GpuSpec(
        product="Chip 7070",
        cooling=GpuCooling.BLOWER,
        length_mm=300,
        height_mm=130,
        width_slots=2,
        pcie_generation=4,
        pcie_lanes=16,
        power_limit_w=300,
        power_connectors=(),
        memory_gb=24,
    )
    cards: dict[str, dict[str, object]] = {
        "Gale Copper 7070": {},
        "Gale 7070": {"height_mm": None},
        "Arid 7070": {"height_mm": None, "length_mm": None},
        "Zest 7070 Deluxe": {},
        "Aero 7070 Ti": {"product": "Chip 7070 Ti"},
    }
    for name, figures in cards.items():
        maker, rest = name.split(" ", 1)
        part_id = f"own-{name.lower().replace(' ', '-')}"
        catalogue.save_user_part(own_part(part_id, maker=maker, name=rest, spec=whole.model_copy(update=figures)))
    for query in (Query("7070"), Query("7070", filters=(Filter("memory_gb", low=8),))):
        assert [hit.title for hit in catalogue.find(query)] == [
            *("Zest 7070 Deluxe", "Gale 7070", "Gale Copper 7070", "Arid 7070", "Aero 7070 Ti")
        ]
    assert [hit.title for hit in catalogue.find(Query("gale 7070", limit=1))] == ["Gale 7070"]


def test_of_equally_good_answers_those_with_a_price_come_first(catalogue: Catalogue, own_part: MakePart) -> None:
    price = Price(amount=300, currency="USD", as_of=date(2026, 5, 1))
    for name in ("Gale Pro", "Gale", "Zest Gale"):
        part = own_part(f"own-{name.lower().replace(' ', '-')}", maker=name.split()[0], name=name, spec=PsuSpec())
        catalogue.save_user_part(part if name == "Gale" else part.model_copy(update={"price": price}))
    assert ids(catalogue, "gale") == ["own-zest-gale", "own-gale", "own-gale-pro"], "a plain sister even without one"


def test_a_whole_word_comes_before_one_that_only_begins_so(catalogue: Catalogue, own_part: MakePart) -> None:
    for name in ("Aria Q100i", "Zeal Q100"):
        catalogue.save_user_part(own_part(f"own-{name.lower().replace(' ', '-')}", name=name, spec=PsuSpec()))
    assert ids(catalogue, "q100") == ["own-zeal-q100", "own-aria-q100i"]


def test_a_hit_carries_what_a_list_shows(catalogue: Catalogue) -> None:
    (hit,) = catalogue.search("blower")
    assert hit.title == "ASUS TURBO-RTX3090-24G"
    assert hit.category is Category.GPU
    assert hit.summary == "24 GB, 350 W, 2 slots, blower"
    assert hit.price == Price(amount=1600, currency="USD", as_of=date(2020, 10, 1))
    assert hit.origin is Origin.SHIPPED


def test_the_limit_holds(catalogue: Catalogue) -> None:
    assert len(catalogue.search("", limit=2)) == 2
    assert len(catalogue.search("24 gb", limit=1)) == 1


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.sampled_from("\"*-()^:+{}[]'\\ aN3显卡\x00\ud800NEARORANDT"), max_size=30) | st.text())
@example('"')
@example("NEAR(3090 blower, 2)")
@example("3090 OR")
@example("NOT blower")
@example("title_words : blower")
@example('a"b "c')
@example("3x \u0663\u0663rtxx 3090")
@example("rtxx\ud7ff \U0010ffffabcdef gehäusse 4xx909 3090 asus turbo")
@example("-" * 1000 + "a" * 5000)
@example("a-" * 3000)
@example("显" * 3000)
def test_no_text_is_wrong(catalogue: Catalogue, text: str) -> None:
    assert isinstance(catalogue.search(text), list)
    answer = catalogue.answer(Query(text))
    assert answer.hits == catalogue.find(answer.query)


def test_operators_are_ordinary_words(catalogue: Catalogue, own_part: MakePart) -> None:
    catalogue.save_user_part(own_part(name="Near and Not"))
    assert ids(catalogue, "NEAR AND NOT") == ["own-card"]
    assert ids(catalogue, "3090 OR blower") == []


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(word=st.text(st.characters(categories=["Lu", "Ll", "Nd"], max_codepoint=0x24F), min_size=1, max_size=12))
def test_every_name_is_found_by_itself(catalogue: Catalogue, word: str, own_part: MakePart) -> None:
    assume(called(word) is None)  # the name of a category asks for its list
    catalogue.save_user_part(own_part(name=word))
    assert "own-card" in ids(catalogue, word)
    if word.isascii():
        assert "own-card" in ids(catalogue, word.swapcase())
