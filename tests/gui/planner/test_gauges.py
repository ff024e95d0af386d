import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics

from core.parts.part import Price
from core.parts.price_guide import read_guide
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.edits import AddPart, SetDetails
from core.plan.site_edits import SetCircuits
from core.predict.band import Band
from core.predict.price import CurrencyTotal, PriceTotal
from core.words import spoken
from gui.planner.build_files import TEMPLATES
from gui.planner.dials import MARKED, PAD
from gui.planner.document import PlanDocument
from gui.planner.gauges import GaugeStrip, gauges, price_gauge
from gui.widgets.figures import money, number, price, span
from tests.gui.conftest import FIRST_ATTEMPT, QUIET

IDLE, TRAINING, PSU, HOTTEST, QUIETLY, LOUDLY, INFERENCE, PRICE = range(8)


@pytest.fixture
def strip(qtbot, document):
    """The instruments in the smallest window."""
    strip = GaugeStrip(document)
    qtbot.addWidget(strip)
    strip.resize(1000 - 2 * PAD, strip.sizeHint().height())
    return strip


def read(document):
    return gauges(document.assessment)


def test_an_empty_build_shows_dashes_and_no_bars(document):
    for gauge in read(document):
        assert gauge.value == "–"
        assert gauge.expected is None


def test_a_build_that_fits_its_circuit_passes_and_fails_on_a_small_one(document):
    document.open(QUIET)
    shown = read(document)
    assert shown[TRAINING].tone == "pass"
    assert "3520 W" in shown[TRAINING].foot
    assert shown[TRAINING].low <= shown[TRAINING].expected <= shown[TRAINING].high
    assert shown[PSU].tone == "pass"
    assert shown[PRICE].title == "Price, USD"
    document.edit(SetDetails(region="us-120v-15a"))
    assert read(document)[TRAINING].tone == "fail"


def test_the_speed_of_a_language_model_stands_beside_the_largest_that_fits(document):
    document.open(QUIET)
    gauge = read(document)[INFERENCE]
    assert gauge.unit == "tokens/s" and 80 < float(gauge.value) < 150
    assert gauge.foot == "holds Qwen3 235B-A22B"
    assert any(line.startswith("DeepSeek V3 671B: does not fit") for line in gauge.details)


def test_an_overloaded_psu_fails_and_the_hottest_card_tells_what_it_loses(document):
    document.open(FIRST_ATTEMPT)
    psu, gauge = read(document)[PSU], read(document)[HOTTEST]
    assert psu.tone == "fail"
    assert psu.expected > psu.limit
    assert gauge.unit == "°C"
    assert gauge.tone == "warn"
    assert "% power" in gauge.foot
    assert "350 W cards run at" in gauge.details[1]
    assert any("350 W cards run at" in words for words in read(document)[1].details)
    assert any("CPU and GPU at their limits at once" in words for words in read(document)[1].details)
    document.open(QUIET)
    assert read(document)[HOTTEST].tone == "pass"


def test_why_no_temperature_is_predicted_stands_in_the_tooltip(document):
    document.open(TEMPLATES / "nvidia-dgx-1.rig.json")
    gauge = read(document)[HOTTEST]
    assert (gauge.value, gauge.foot) == ("–", "cannot be predicted")
    assert "SXM2" in gauge.details[0]


def test_the_dials_move_with_the_build_and_tell_what_they_rest_on(document, strip):
    document.open(QUIET)
    dial = strip._dials[TRAINING]
    assert dial.accessibleName().startswith("Training, at the wall: 2")
    assert "power limit" in dial.toolTip()
    strip.show()
    assert not strip.grab().isNull()


@pytest.mark.parametrize("path", [QUIET, FIRST_ATTEMPT])
def test_no_foot_is_cut_off_in_the_smallest_window(document, strip, path):
    document.open(path)
    strip.show()
    for dial in strip._dials:
        drawn = QFontMetrics(dial._small()).elidedText(dial.foot, Qt.TextElideMode.ElideRight, dial.width() - 2 * PAD)
        assert drawn == dial.foot


@pytest.mark.parametrize("language", ["en", "de", "zh_CN"])
@pytest.mark.parametrize("path", sorted(TEMPLATES.glob("*.rig.json")), ids=lambda path: path.stem)
def test_no_figure_is_cut_off_in_the_smallest_window(document, strip, path, language):
    with spoken(language):
        document.open(path)
        strip.show()
    for dial in strip._dials:
        value = QFontMetrics(dial._large()).horizontalAdvance(dial.gauge.value) + 4
        unit = QFontMetrics(dial._small()).horizontalAdvance(dial.gauge.unit)
        beside = QFontMetrics(dial._small()).height() + 2 if dial.gauge.tone in MARKED else 0
        assert value + unit + beside <= dial.width() - 2 * PAD, dial.accessibleName()


def test_a_machine_without_a_psu_says_so_in_the_room_there_is(document, strip, catalogue):
    document.edit(AddPart(catalogue.require("amd-ryzen-9-5950x")))
    strip.show()
    dial = strip._dials[PSU]
    assert dial.foot == "no PSU yet"
    assert QFontMetrics(dial._small()).horizontalAdvance(dial.foot) <= dial.width() - 2 * PAD


def test_unknown_figures_are_named_in_words(document, strip):
    document.open(FIRST_ATTEMPT)
    tooltip = strip._dials[TRAINING].toolTip()
    assert "replaced by wide defaults: ASUS ROG Strix X570-E Gaming: load power; " in tooltip
    assert "load_power_w" not in tooltip


def test_parts_without_a_price_are_named_and_no_default_is_claimed(strip, document, catalogue):
    document.open(FIRST_ATTEMPT)
    cable = next(catalogue.parts(category=Category.CABLE))
    document.edit(AddPart(cable.model_copy(update={"id": "unpriced", "price": None})))
    tooltip = strip._dials[PRICE].toolTip()
    total = document.assessment.price
    unpriced = [line.part.title for line in document.build.lines if line.part.id in total.unpriced_ids]
    assert "unpriced" in total.unpriced_ids
    assert f"Without a price: {', '.join(unpriced)}" in tooltip
    assert "default" not in tooltip


def test_an_instrument_leads_to_its_section_by_mouse_and_keyboard(qtbot, strip):
    opened = []
    strip.opened.connect(opened.append)
    strip.show()
    for dial in strip._dials:
        qtbot.mouseClick(dial, Qt.MouseButton.LeftButton)
    assert opened == ["power", "power", "power", "temperature", "noise", "noise", "models", "price"]
    qtbot.keyClick(strip._dials[HOTTEST], Qt.Key.Key_Return)
    assert opened[-1] == "temperature"


@pytest.mark.parametrize(
    ("value", "text"), [(None, "?"), (0, "0"), (4.25, "4.2"), (4.0, "4"), (1234.5, "1234"), (99.96, "100")]
)
def test_numbers_are_written_to_what_they_bear(value, text):
    assert number(value) == text


def test_bands_and_money():
    assert span(Band(9.96, 10, 11.2, "W")) == "10.0–11.2"
    assert span(Band(0, 0, 0, "W")) == "0"
    assert money(1999.5, "USD") == "2000 USD"
    assert price(None) == ""
    assert price(Price(amount=10, currency="CNY", as_of="2024-01-01"), 3) == "30 CNY"


def test_other_loads_and_further_circuits_move_the_limit_at_the_wall(document):
    document.open(QUIET)
    alone = training_limit(document)
    document.edit(SetCircuits(None, (500.0,)))
    assert training_limit(document) == alone - 500
    document.edit(SetCircuits(None, (500.0, 0.0)))
    assert training_limit(document) == 2 * (alone - 500), "each of two equal PSUs has a circuit: the fuller one decides"
    document.edit(SetCircuits(None, (0.0, 0.0, 0.0)))
    assert training_limit(document) == 2 * alone, "no PSU draws from the third"


def training_limit(document):
    gauge = gauges(document.assessment)[1]
    return float(gauge.foot.rsplit(" of ", 1)[1].removesuffix(" W").replace("\u202f", ""))


def test_what_makes_no_noise_yet_has_no_level(document, catalogue):
    document.edit(AddPart(catalogue.part("rtx-3090-reference-single-slot-block"), 1))
    for gauge in read(document)[QUIETLY : LOUDLY + 1]:
        assert (gauge.value, gauge.foot) == ("–", "no fan or pump yet")


def test_thousands_have_the_decimal_mark_of_the_language():
    with spoken("de"):
        total = PriceTotal((CurrencyTotal("USD", 1_700, 3, low=0, high=4_400, estimated=1),), (), 0, (), None, None)
        assert price_gauge(Build(), total).value == "1,7–6,1"


def test_estimated_prices_make_the_price_a_range_that_names_what_it_rests_on(qtbot, catalogue):
    document = PlanDocument(catalogue.part, guide_for=lambda parts: read_guide(catalogue, parts))
    strip = GaugeStrip(document)
    qtbot.addWidget(strip)
    card = next(part for part in catalogue.parts(category=Category.GPU, priced=True) if "RTX 3090" in part.name)
    document.edit(AddPart(card.model_copy(update={"id": "unpriced", "price": None}), 2))
    gauge, total = strip._dials[PRICE].gauge, document.assessment.price
    ((part_id, estimate),) = total.estimates
    assert (part_id, total.estimated) == ("unpriced", 2)
    assert gauge.foot == "100 % estimated, 2 used" and "\N{EN DASH}" in gauge.value
    assert f"{card.title}: {estimate.words}" in gauge.details
