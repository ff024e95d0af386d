"""What each section tells, and what it says where there is nothing to tell."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLabel

from core.parts.vocabulary import Category
from core.plan.edits import RemovePart, SetQuantity
from core.predict.conditions import Conditions, LoadCase
from gui.planner.build_files import TEMPLATES
from gui.predict.figures_model import BELOW_ROLE
from gui.predict.figures_view import FiguresView
from gui.predict.sections import FIGURE_ROLE
from tests.gui.conftest import FIRST_ATTEMPT, QUIET
from tests.gui.predict.conftest import texts

DGX, PC = TEMPLATES / "nvidia-dgx-1.rig.json", TEMPLATES / "researcher-pc.rig.json"
SECTIONS = ("power", "temperature", "noise", "energy", "speed", "gpus", "limit", "quiet", "calibration", "basis")


def figure(page, section):
    return page.model.index(page.model.row_of(section)).data(FIGURE_ROLE)


def test_every_section_has_its_figure_in_the_list(document, page):
    document.open(QUIET)
    prediction = document.assessment.prediction
    assert figure(page, "power") == f"{prediction.wall_w[LoadCase.TRAINING].expected:.0f} W"
    assert figure(page, "temperature").endswith("°C")
    assert figure(page, "noise").endswith("dBA")
    assert figure(page, "limit") == "350 W"
    assert figure(page, "basis").endswith("unknown")
    document.new()
    assert not any(figure(page, section) for section in SECTIONS)


@pytest.mark.parametrize("section", [name for name in SECTIONS if name != "gpus"])
def test_without_a_build_a_section_says_what_will_be_there(page, show, section):
    panel = show(section)
    assert panel.currentWidget() is panel.empty
    assert "build" in panel.empty.label.text()


def column(table, number):
    """The cells of a column, as the model has them."""
    return [table.figures.cell(row, number) for row in range(table.figures.rowCount())]


def test_training_that_heat_holds_back_stands_beside_what_the_gauge_is_for(document, show):
    document.open(FIRST_ATTEMPT)
    rows = {row[0]: row for row in texts(show("power").table("Power by load"))}
    load = document.assessment.prediction.psu_load
    assert rows["Unthrottled training"][-1].startswith(f"{100 * load.training_share:.0f}")
    assert rows["Electrical worst case"][-1].startswith(f"{100 * load.worst_share:.0f}")
    assert not rows["Training"][-1].startswith(f"{100 * load.training_share:.0f}")


def test_for_the_chosen_load_power_is_told_by_part(document, show):
    document.open(QUIET)
    panel = show("power")
    loads, parts = panel.table("Power by load"), panel.table("Power by part")
    assert loads.key == (LoadCase.TRAINING, False)
    gpu = document.build.of(Category.GPU)[0].part
    assert parts.figures.cell(0, 0).text == gpu.title
    training = parts.figures.cell(0, 3).order
    loads.choose((LoadCase.IDLE, False))
    assert "By part: Idle" in panel.texts()
    assert panel.table("Power by part").figures.cell(0, 3).order < training / 5


def test_every_figure_has_its_band_and_says_what_it_lacks(document, show):
    document.open(QUIET)
    panel = show("power")
    index = panel.table("Power by load").model().index(0, 2)
    assert index.data(BELOW_ROLE).endswith("?")
    assert "idle power" in index.data(Qt.ItemDataRole.ToolTipRole)
    assert "to" not in index.data(Qt.ItemDataRole.AccessibleTextRole)
    assert index.data(BELOW_ROLE) in index.data(Qt.ItemDataRole.AccessibleTextRole)
    assert "Wide defaults" in panel.texts()


def test_peaks_that_no_psu_bears_are_marked(document, show):
    document.open(FIRST_ATTEMPT)
    assert "fail" in {cell.tone for cell in column(show("power").table("Peaks of power"), 3)}


def test_cards_that_warm_up_alike_are_one_curve_and_one_row(document, show):
    document.open(QUIET)
    panel = show("temperature")
    *_, cards = column(panel.table("Temperatures"), 0)
    assert cards.text.startswith("6 × ")
    assert len(panel.warm_up.picture.curves) == 1


def test_a_card_that_is_held_back_says_how_much_it_keeps(document, show):
    document.open(FIRST_ATTEMPT)
    panel = show("temperature")
    assert "350 W cards run at" in panel.texts()
    *_, last = column(panel.table("Temperatures"), 5)
    assert last.tone == "warn"
    assert float(last.text) < 97


def test_a_module_says_why_its_temperature_is_not_told(document, show):
    document.open(DGX)
    panel = show("temperature")
    assert "is a module" in panel.texts()
    assert not panel.warm_up.isVisible()


def test_noise_has_the_loudest_source_first(document, show):
    document.open(PC)
    panel, prediction = show("noise"), document.assessment.prediction
    sources = panel.table("Noise by source")
    assert [cell.text for cell in column(sources, 0)] == [source.title for source in prediction.sources]
    shares = [cell.order for cell in column(sources, 3)]
    assert sum(shares) == pytest.approx(100)
    assert shares == sorted(shares, reverse=True)
    for heading, lines in (
        ("What to change first to get quieter", prediction.quieter),
        ("Tonal noise, more annoying than its level suggests", prediction.tonal_risks),
    ):
        assert lines
        assert "\n".join((heading, *(f"•  {line}" for line in lines))) in panel.texts()


def test_a_tariff_gives_costs_and_a_volume_reflections(qtbot, document, show):
    document.open(PC)
    energy = show("energy").table("Energy and cost")
    assert energy.figures.cell(0, 2).text == "no tariff"
    document.set_conditions(Conditions(tariff_per_kwh=0.5, room_volume_m3=30))
    qtbot.waitUntil(lambda: not document.predicting)
    assert energy.figures.cell(1, 2).order == pytest.approx(energy.figures.cell(1, 1).order / 2)
    levels = show("noise").table("Noise of the machine")
    assert [cell.below for cell in column(levels, 0)] == [
        "at 1 m, without reflections",
        "with 28 dBA of background noise and the reflections of its walls",
    ]
    free, room = column(levels, 3)
    assert room.order > free.order + 3


def test_assumptions_unknown_and_unconfirmed_figures_stand_in_the_basis(document, show):
    document.open(PC)
    panel = show("basis")
    assert "free-field" in panel.assumptions.text()
    unknown = {row[0] for row in texts(panel.unknown)}
    assert "Intel Core i7-5820K" in unknown
    assert panel.unconfirmed.figures.rowCount()


def test_an_unknown_figure_is_entered_from_the_basis(qtbot, document, page, show):
    document.open(PC)
    panel = show("basis")
    emitted = []
    page.figure_wanted.connect(lambda *figure: emitted.append(figure))
    assert not panel.enter.isEnabled()
    key = ("intel-core-i7-5820k", "idle_power_w")
    panel.unknown.choose(key)
    panel.enter.click()
    qtbot.keyClick(panel.unknown, Qt.Key.Key_Return)
    assert emitted == [key, key]
    last = panel.unconfirmed.figures.rowCount() - 1
    panel.unconfirmed.setCurrentIndex(panel.unconfirmed.model().index(last, 0))
    panel.enter.click()
    assert emitted[-1] == panel.unconfirmed.key


def test_tab_goes_down_a_section_whose_tables_were_made_after_its_chart(document, show):
    document.open(FIRST_ATTEMPT)
    panel = show("temperature")
    stops, widget = [], panel.content
    while widget is not panel.warm_up:
        stops.append(widget)
        widget = widget.nextInFocusChain()
    tables = [widget for _, widget in panel._widgets if isinstance(widget, FiguresView)]
    assert tables
    assert [widget for widget in stops if isinstance(widget, FiguresView)] == tables


def test_the_parts_of_a_load_without_limits_are_reported_until_it_is_gone(document, show):
    document.open(FIRST_ATTEMPT)
    panel = show("power")
    at_limits = next(iter(document.assessment.prediction.at_limits))
    panel.table("Power by load").choose((at_limits, True))
    for line in document.build.of(Category.GPU):
        document.edit(RemovePart(line.part.id))
    assert at_limits not in document.assessment.prediction.at_limits
    assert panel.table("Power by load").key == (at_limits, False)


def test_an_unseen_section_works_nothing_out(document, page, show):
    document.open(QUIET)
    panel = show("power")
    show("noise")
    before = texts(panel.table("Power by load"))
    document.edit(SetQuantity("corsair-ax1600i", 1))
    assert texts(panel.table("Power by load")) == before
    show("power")
    assert texts(panel.table("Power by load")) != before


@pytest.mark.parametrize("section", SECTIONS)
def test_nothing_is_cut_off_in_a_small_page(qtbot, document, page, show, section):
    document.open(QUIET)
    page.resize(780, 560)
    panel = show(section)
    qtbot.wait(10)
    for label in panel.findChildren(QLabel):
        if label.isVisible() and label.text() and not label.wordWrap():
            assert label.width() >= label.sizeHint().width() - 1, label.text()
    for button in panel.findChildren(QAbstractButton):
        if button.isVisible():
            assert button.width() >= button.minimumSizeHint().width(), button.text()
