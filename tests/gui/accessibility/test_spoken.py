"""What is drawn is said as well: values and states of gauges, charts, cards, stages, verdicts, strips and pictures."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAccessible, QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

from core.machine.telemetry.metrics import BY_NAME
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.edits import RemovePart
from core.present.report.document import ReportColumn, Tone, Words, figures_column, table
from gui.burnin.chart.strips import DeviceHeat, HeatStrip
from gui.predict.figures_model import MARK_ROLE, FiguresModel
from gui.shell.pages import PLAN, RUNS
from gui.widgets.text import ElidedLabel, plain
from gui.widgets.theme import Mode, theme
from tests.gui.accessibility.conftest import go_to

Text = QAccessible.Text
PSU = 2


def spoken(widget, what=Text.Description):
    return QAccessible.queryAccessibleInterface(widget).text(what)


@pytest.fixture
def listening():
    """Somebody listens."""
    before = QAccessible.isActive()
    QAccessible.setActive(True)
    yield
    QAccessible.setActive(before)


@pytest.fixture
def run(whole):
    """The view of the run that failed, as it is said when its figures come."""
    go_to(whole, RUNS)
    yield whole.pages.runs.view
    go_to(whole, PLAN)


def test_a_gauge_says_figure_band_and_state(whole):
    dial = whole.plan.gauges._dials[PSU]
    assert spoken(dial, Text.Name) == f"{dial.gauge.title}: {dial.gauge.value} {dial.gauge.unit}"
    assert dial.gauge.tone == "fail"
    assert spoken(dial).startswith(dial.gauge.foot)
    assert "Over the limit" in spoken(dial)


def test_a_gauge_that_fails_is_marked_by_more_than_its_colour(whole):
    go_to(whole, PLAN)
    dial = whole.plan.gauges._dials[PSU]
    marked = dial.grab().toImage()
    gauge = dial.gauge
    dial.show_gauge(type(gauge)(gauge.title, gauge.value, gauge.unit, gauge.foot, tone="pass"))
    plain_one = dial.grab().toImage()
    dial.show_gauge(gauge)
    corner = [(marked.width() - x, y) for x in range(10, 24) for y in range(8, marked.height() // 2)]
    assert any(marked.pixel(*at) != plain_one.pixel(*at) for at in corner)


def test_a_chart_says_its_quantity_and_the_figure_of_each_card(run, listening):
    run.board.redraw()
    chart = run.board.chart("temperature_c")
    words = spoken(chart)
    assert words.startswith("Temperature in °C, highest: ")
    for record in run.recording.devices:
        assert f"{record.label} {record.statistics('temperature_c').highest:.0f}" in words


def test_a_chart_without_figures_says_so(run, listening):
    tokens = run.board.chart("throughput_tflops")
    tokens.show_values("now", [])
    assert spoken(tokens) == "Throughput: not measured"
    run.board.redraw()


def test_a_card_says_its_state_and_all_figures(run, listening):
    run.cards.refresh()
    for card in run.cards.cards:
        assert spoken(card, Text.Name).startswith(card.record.label)
        assert "Temperature now" in spoken(card)


def test_the_cards_of_a_run_follow_the_theme(run):
    theme().set_mode(Mode.LIGHT)
    card = run.cards.cards[0]
    before = [card._solo.icon().pixmap(16, 16).toImage(), run.cards._total.styleSheet()]
    theme().set_mode(Mode.DARK)
    assert before != [card._solo.icon().pixmap(16, 16).toImage(), run.cards._total.styleSheet()]
    assert theme().color("muted").name() in run.cards._total.styleSheet()


def test_the_strip_of_stages_says_time_and_states(run, listening):
    run.stages.refresh()
    words = spoken(run.stages)
    assert words.startswith("lasted ")
    for item, stage in zip(run.stages.items, run.recording.stages, strict=True):
        assert spoken(item, Text.Name).startswith(f"{stage.title}: ")
        assert spoken(item, Text.Name) in words


def test_the_verdict_is_said_in_words_without_markup(run):
    words = spoken(run.banner)
    assert spoken(run.banner, Text.Name) == "Verdict"
    assert words.startswith("FAIL (SIMULATED). Run 1 is not signed: There is no key in ")
    assert "All results were right.; GPU 0, GPU 1 FAIL" in words
    assert "<" not in words
    assert "&" not in words


def test_markup_is_read_as_its_words():
    assert plain("<b>6 &lt; 7</b> <span style='color:#123456'>cards</span>") == "6 < 7 cards"


def test_a_heat_strip_says_each_row_and_what_failed(qtbot, listening):
    strip = HeatStrip(BY_NAME["temperature_c"], None)
    qtbot.addWidget(strip)
    values = np.array([[70.0, 71.0], [75.0, 79.0]])
    strip.show_heat([(0, "GPU 0", False), (1, "GPU 1", True)], DeviceHeat(values, values - 75.0, values * 0))
    assert spoken(strip) == "GPU 0 71  (\u22124), GPU 1 79  (+4) failed"
    strip.show_heat([], None)
    assert spoken(strip) == "not measured"


def test_the_picture_of_the_machine_says_what_is_chosen(whole):
    go_to(whole, PLAN)
    whole.menus.actions["machine"].trigger()
    canvas, table = whole.plan.machine.canvas, whole.plan.table
    line = next(line for line in whole.document.build.lines if line.part.category is Category.GPU)
    table.select_parts([line.part.id])
    assert spoken(canvas, Text.Name) == f"Picture of the machine: {line.part.title}"
    assert line.part.name in spoken(canvas)
    assert spoken(canvas).endswith(canvas.scene.title)
    board = whole.document.build.motherboard[0]
    table.select_parts([board.id])
    assert spoken(canvas, Text.Name) == f"Picture of the machine: {board.title}"
    whole.document.edit(RemovePart(board.id))
    assert spoken(canvas, Text.Name) == "Picture of the machine"
    whole.document.undo_stack.undo()
    whole.menus.actions["machine"].trigger()


def test_a_figure_in_a_warning_colour_is_marked_and_said():
    rows = [
        (Words("words", tone=Tone.WARN), Words(figure, tone=tone))
        for figure, tone in (("1900", Tone.FAIL), ("900", Tone.WARN), ("9", Tone.PLAIN))
    ]
    model = FiguresModel()
    model.show_table(table((ReportColumn("Load"), figures_column("W")), rows), Build())
    cells = [model.index(row, 1) for row in range(3)]
    assert [cell.data(MARK_ROLE) for cell in cells] == ["fail", "warn", ""]
    spoken = [cell.data(Qt.ItemDataRole.AccessibleTextRole) for cell in cells]
    assert spoken == ["1900, over the limit", "900, warning", "9"]
    assert model.index(0, 0).data(MARK_ROLE) == "", "words say it themselves"


def test_a_label_that_is_cut_shows_all_of_it_as_its_tooltip(qtbot):
    label = ElidedLabel("NVIDIA GeForce RTX 3090 Founders Edition")
    qtbot.addWidget(label)
    label.show()
    for width, shown in ((900, ""), (60, label.text())):
        label.resize(width, 20)
        QApplication.sendEvent(label, QHelpEvent(QEvent.Type.ToolTip, QPoint(5, 5), label.mapToGlobal(QPoint(5, 5))))
        assert QToolTip.text() == shown
    QToolTip.hideText()
