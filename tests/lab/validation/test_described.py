"""What the words of a measured case say: figures, the card that is match, and nothing where they make no sense."""

from collections.abc import Sequence
from math import isfinite
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.lab.validation.cases import COLUMNS, described, read_cases
from core.lab.validation.facts import NotAFigure, figure
from core.lab.validation.matching import card_of
from core.lab.validation.outcome import MODELS, predict_cases
from core.parts.part import Part, Source
from core.parts.specs import GpuSpec
from core.parts.vocabulary import GpuCooling
from tests.lab.validation.rows import case, rows_file
from tests.shipped import every_part


@pytest.fixture(scope="module")
def parts() -> Sequence[Part]:
    return list(every_part())


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("45", 45), ("~45", 45), ("≈ 45", 45), ("about 45", 45), ("26-27", 26.5), ("26–27", 26.5), ("26 to 27", 26.5),
        ("38,7", 38.7), ("−3.5", -3.5), ("-3", -3), ("+2", 2), ("38.7 dBA", 38.7), (" 7 ", 7),
    ],
)  # fmt: skip
def test_figures_are_read_as_people_write_them(text: str, value: float) -> None:
    assert figure(text, "dBA") == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is empty"),
        ("  ", "is empty"),
        ("loud", "which is not a number"),
        ("0.0.0", "which is not a number"),
        ("nan", "which is not a number"),
        ("inf", "which is not a number"),
        ("1e999", "which is not a number"),
        ("9" * 400, "which is not a number"),
        ("38 W", "which is not a number"),
        ("<37", "which is a bound"),
        ("≥ 44", "which is a bound"),
        ("1,250", "may separate thousands or decimals"),
        ("1-2-3", "which is not a number"),
    ],
)
def test_what_is_no_figure_says_why(text: str, why: str) -> None:
    with pytest.raises(NotAFigure, match=why):
        figure(text, "dBA")


@given(st.text(max_size=40), st.text(max_size=6))
def test_any_text_is_a_figure_or_a_reason(text: str, unit: str) -> None:
    try:
        assert isfinite(figure(text, unit))
    except NotAFigure as error:
        assert str(error).startswith("is ")


def test_words_are_read_as_figures() -> None:
    facts = described("3x RTX 3090 stacked directly on each other", "GPU1: 147 W board power, fan 30 %")
    assert (facts.cards, facts.card_w, facts.fan_share, facts.free_slots) == (3, 147, 0.30, 0)
    facts = described("Palit RTX 4090 GameRock, open bench, 25+-1 C", "average, 1252.6 rpm")
    assert (facts.room_c, facts.rpm, facts.in_the_open, facts.cooling) == (25, 1252.6, True, GpuCooling.OPEN_AIR)
    assert described("GTX 980 SLI", "one slot gap").free_slots == 1
    server = described("8-slot server with RTX 3090 (inlet ~25 C)", "")
    assert (server.inlet_c, server.room_c, server.among_others) == (25, None, True)
    assert described("Palit GTX 1080 (3-slot axial)", "").cooler_slots == 3
    assert described("a card", "limits maxed").power_share[1] > 1


ODD = (
    "0.0.0 W DC", "0 W DC", "99999999999999999999 W DC", "0 % load", "5000 % load", "0 rpm", "000 rpm, fan 999 %",
    "power limit 0 W of 350 W", "power limit 280 W of 0 W", "excursion 0 ms", "excursion 0-0 ms",
    "single fans 1-2-3 / . / - dBA", "single fans / dBA", "panels removed: 4.0.4 dBA",
    "99999999999999999999 W board power, fan 50 %", "GPU0 Titan RTX: 0 W board power, fan 0 %",
    "GPU0 : 100 W board power", "- W", "9-0 W", "ambient 999 C, inlet ~0.0.0 C", "background 999 dBA", "0-slot cooler",
    "limits maxed", "idle", "٣٤٥ W board power, fan ٥ %", "", "\x00",
)  # fmt: skip


@pytest.mark.parametrize("condition", ODD)
def test_odd_words_are_predicted_or_refused_but_never_a_crash(condition: str, parts: Sequence[Part]) -> None:
    for configuration in ("0x RTX 3090 0-slot", "Corsair HX850 Platinum, 000 V", "0x Xeon of 0 W, 0x 0 W GPU", ""):
        rows = [case(configuration, quantity, condition, 1.0, unit="") for quantity in MODELS]
        for outcome in predict_cases(rows, parts):
            assert outcome.predicted or outcome.reason


TELLING = (
    "0x", "2x", "RTX 3090", "GTX Titan X", "FE", "blower", "Xeon", "GPU", "300 W", "0 W", "0.0 W DC", "50 % load",
    "1 rpm", "idle", "open bench", "server", "psu fan", "single fans", "1/2", "dba", "panels removed: 40 dba", "same",
    "360", "120.0", "HX850 gold", "0 ms", "1-5 ms", "limits maxed", "board power", "fan 0 %", ",", ":", "(",
)  # fmt: skip
"""Words that the models look for, and some that stand in the way."""
WORDS = st.lists(st.sampled_from(TELLING) | st.text(max_size=8), max_size=7).map(" ".join)


@settings(deadline=None, max_examples=60)
@given(
    configuration=WORDS,
    condition=WORDS,
    quantity=st.sampled_from(sorted(MODELS)),
    distance_m=st.none() | st.floats(0.01, 1000),
)
def test_any_words_are_predicted_or_refused(
    configuration: str, condition: str, quantity: str, distance_m: float | None, parts: Sequence[Part]
) -> None:
    row = case(configuration, quantity, condition, 40.0, unit="", distance_m=distance_m)
    [outcome] = predict_cases([row], parts)
    assert outcome.predicted or outcome.reason


CELLS = st.fixed_dictionaries({name: st.text(max_size=12) for name in COLUMNS})


@settings(deadline=None, max_examples=40)
@given(cells=st.lists(CELLS, min_size=1, max_size=3))
def test_any_cells_are_read_or_listed_with_the_reason(
    tmp_path_factory: pytest.TempPathFactory, cells: list[dict[str, str]]
) -> None:
    encoded = [{name: text.encode("utf-8", "replace").decode() for name, text in row.items()} for row in cells]
    for row in read_cases(rows_file(tmp_path_factory.mktemp("cells"), encoded)):
        assert row.unread or isfinite(row.value)


@pytest.mark.parametrize(
    ("configuration", "condition", "product"),
    [
        ("1x RTX 3090 training", "", "GeForce RTX 3090"),
        ("2x GTX 1080 Ti open-air", "", "GeForce GTX 1080 Ti"),
        ("GTX 1080 FE blower", "", "GeForce GTX 1080"),
        ("1x RTX A6000 blower workstation", "", "RTX A6000"),
        ("3x Titan RTX + 1x GTX Titan X", "GPU0 Titan RTX: 226 W board power", "TITAN RTX"),
        ("3x Titan RTX + 1x GTX Titan X", "GPU2 GTX Titan X: 131 W board power", "GeForce GTX TITAN X"),
        ("an unknown card", "", None),
    ],
)
def test_the_card_is_found_by_its_product(
    configuration: str, condition: str, product: str | None, parts: Sequence[Part]
) -> None:
    matched = card_of(case(configuration, "gpu_temp", condition, 0), parts)
    assert (matched.spec.product if matched else None) == product


@pytest.mark.parametrize(
    ("configuration", "part_id"),
    [
        ("GTX 1080 Ti FE blower", "nvidia-gtx-1080-ti-founders-edition"),
        ("RTX 4090 FE", "nvidia-rtx-4090-founders-edition"),
        ("Gigabyte RTX 3090 Gaming OC", "gigabyte-rtx-3090-gaming-oc-24g"),
        ("MSI RTX 3090 Suprim X", "msi-rtx-3090-suprim-x-24g"),
    ],
)
def test_a_card_that_is_named_is_meant_and_no_other(configuration: str, part_id: str, parts: Sequence[Part]) -> None:
    matched = card_of(case(configuration, "noise", "", 0), parts)
    assert matched.part.id == part_id
    assert matched.others == ()


def test_where_no_maker_is_named_any_card_of_the_product_may_be_meant(parts: Sequence[Part]) -> None:
    matched = card_of(case("2x RTX 3090", "gpu_temp", "", 0), parts)
    assert matched.others
    assert {spec.power_limit_w for spec in (matched.spec, *matched.others)} == {350}


def loud_card(source: str) -> Part:
    spec = GpuSpec(
        product="GeForce Test 1",
        cooling=GpuCooling.BLOWER,
        power_limit_w=200,
        thermal_resistance_k_per_w=0.2,
        noise=({"condition": "load", "level_dba": 80},),  # type: ignore[arg-type]
    )
    sources = (Source(title="Review", url=source, fields=("noise", "thermal_resistance_k_per_w")),)
    return Part(id="maker-test", maker="Maker", name="Test 1", spec=spec, sources=sources)


def test_a_case_is_not_predicted_from_its_own_figures() -> None:
    review = "https://www.example.org/test-1-review"
    row = case("Maker Test 1 blower", "noise", "load", 80, unit="dBA", source="http://example.org/test-1-review/3")
    sources = {f"{review}?page=2": False, f"{review}/7": False, "https://example.org/another": True}
    for source, predictable in sources.items():
        matched = card_of(row, [loud_card(source)])
        assert bool(matched.spec.noise) is predictable
        assert (matched.spec.thermal_resistance_k_per_w is not None) is predictable


def test_a_card_that_stands_in_for_another_makers_lends_its_size_and_not_its_level() -> None:
    matched = card_of(case("Other Test 1 Silent (3-slot)", "noise", "load", 30), [loud_card("https://example.org/x")])
    assert matched.spec.noise == ()
    assert matched.spec.thermal_resistance_k_per_w is None
    assert matched.spec.width_slots == 3


def test_the_shipped_cases_are_all_readable() -> None:
    rows = read_cases(Path(__file__).parents[3] / "assets/measurements/cases.csv")
    assert [row.unread for row in rows if row.unread] == []
