"""The window in US units: what is shown and typed is converted, what is kept and computed is not."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from core.parts.entered import plain_figures
from core.parts.form_figure import FieldKind, form_figures_of
from core.parts.part import Origin
from core.parts.vocabulary import Category
from core.platform.errors import BadInput
from core.rules.finding import Finding, Status
from core.words import tr
from core.words.measures import System
from gui.burnin.chart.axes import ValueAxis
from gui.parts.controls import LineControl
from gui.planner.build_settings import SiteDialog
from gui.planner.findings.finding_list import FindingsModel, finding_rows
from gui.planner.gauges import gauges
from gui.planner.parts.figure_names import heading, with_unit
from gui.predict.chart_picture import BandCurve, ChartPicture
from gui.predict.figure_box import FieldRange, FigureBox
from gui.settings import Preferences, Settings, read_preferences, use_preferences
from gui.shell.preferences_dialog import PreferencesDialog
from gui.widgets.banner import Banner
from gui.widgets.figures import say
from gui.widgets.form import named
from gui.widgets.text import Label
from gui.widgets.units import use_units
from tests.gui.conftest import QUIET


@pytest.fixture
def us():
    use_units(System.US)
    yield
    use_units(System.METRIC)


@pytest.fixture
def room(qtbot, us):
    label = Label()
    qtbot.addWidget(label)
    box = FigureBox("Room", FieldRange(-10, 50, "°C"), label)
    box.setValue(25)
    box.label = label
    return box


def write(box, text):
    box.lineEdit().selectAll()
    QTest.keyClicks(box.lineEdit(), text)
    QTest.keyClick(box, Qt.Key.Key_Return)


@pytest.mark.parametrize(
    ("text", "celsius"), [("80 F", 26.6667), ("80", 26.6667), ("21,5 C", 21.5), ("77.0 °F", 25.0), ("26.5 c", 26.5)]
)
def test_a_box_takes_either_unit_and_either_mark(room, text, celsius):
    assert room.text() == "77.0 °F"
    write(room, text)
    assert room.value() == pytest.approx(celsius, abs=1e-3)


@pytest.mark.parametrize("text", ["500", "warm", "80 lb", "1,600"])
def test_what_cannot_be_leaves_the_figure_and_is_reported(room, text):
    write(room, text)
    assert room.value() == 25
    assert room.problem(text).endswith(".")


def test_one_press_is_one_degree_and_an_untouched_figure_stays_exact(room):
    room.stepUp()
    assert room.text() == "78.0 °F"
    room.setValue(21.23)
    QTest.keyClick(room, Qt.Key.Key_Return)
    assert room.value() == pytest.approx(21.23, abs=1e-9)


def test_a_metric_box_takes_fahrenheit_too(qtbot):
    label = Label()
    qtbot.addWidget(label)
    box = FigureBox("Room", FieldRange(-10, 50, "°C"), label)
    write(box, "80 F")
    assert (box.value(), box.text()) == (26.7, "26.7 °C")


def test_gauges_and_labels_are_in_us_units_and_the_prediction_is_not(qtbot, document, us):
    document.open(QUIET)
    assessment = document.assessment
    hottest = assessment.prediction.heat.hottest.temperature_c
    gauge = gauges(assessment)[3]
    assert gauge.unit == hottest.unit.replace("C", "F")
    assert float(gauge.value) == pytest.approx(hottest.expected * 1.8 + 32, abs=1)
    assert "°F" in gauge.foot
    label = Label(tr("{card} is {mm:.0f} mm long.", card="A", mm=267))
    qtbot.addWidget(label)
    assert label.text() == "A is 10.51 in long."


def test_what_is_spoken_is_in_us_units_too(qtbot, document, us):
    finding = Finding(
        "length", Status.WARN, tr("{card} is {mm:.0f} mm long.", card="A", mm=267), measured=267, unit="mm"
    )
    model = FindingsModel(document, lambda *_: finding_rows(document.build, (finding,)))
    index = model.index(0, 0)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "WARN: A is 10.51 in long. 10.51\N{NO-BREAK SPACE}in"
    field = Label()
    qtbot.addWidget(field)
    say(named(field, "Length", finding.message), finding.message)
    assert field.accessibleDescription() == "A is 10.51 in long."
    banner = Banner(field)
    banner.say(finding.message)
    assert banner.accessibleName() == banner.text() == "A is 10.51 in long."


def test_a_refusal_is_reported_in_us_units(qtbot, document, us):
    banner = Banner()
    qtbot.addWidget(banner)
    document.refused.connect(banner.say)
    document.refused.emit(str(BadInput(tr("{part} is {height:.0f} mm high.", part="A", height=254))))
    assert banner.text() == "A is 10.00 in high."


def test_axes_have_round_numbers_of_their_unit(qtbot, us):
    axis = ValueAxis("°C")
    ((step, values),) = axis.tickValues(20, 90, 240)
    shown = [float(text) for text in axis.tickStrings(values, 1.0, step)]
    assert all(value % step == 0 for value in shown) and min(shown) >= 68 and max(shown) <= 194
    picture = ChartPicture((BandCurve("A", (1.0,), (50.0,)),), "°C", "minutes")
    assert picture.words_at(1.0).endswith("122 °F")


def test_figures_of_parts_are_shown_and_headed_alike(us):
    assert heading("length_mm") == "Length, in"
    assert with_unit("length_mm", 254.0) == "10 in"
    assert with_unit("power_limit_w", 350.0) == "350 W"


def test_who_opens_a_part_and_changes_nothing_changes_nothing(qtbot, catalogue, us):
    parts = list(catalogue.parts(origin=Origin.SHIPPED, category=Category.GPU))[:20]
    label = Label()
    qtbot.addWidget(label)
    for figure in form_figures_of(Category.GPU):
        if figure.kind in (FieldKind.NUMBER, FieldKind.WHOLE):
            control = LineControl(figure, label)
            for part in parts:
                value = plain_figures(part).get(figure.name)
                control.show_plain(value)
                assert value is None or control.plain() == value
            if figure.name == "length_mm":
                assert control.field.accessibleName() == "Length, in"


def test_clearance_for_plugs_is_typed_in_inches_and_kept_in_millimetres(qtbot, document, us):
    document.open(QUIET)
    dialog = SiteDialog(document.build)
    qtbot.addWidget(dialog)
    before = dialog.assumptions.edit()
    assert before.assumptions == document.build.assumptions
    write(dialog.assumptions.plug_room, "1.5 in")
    assert dialog.assumptions.edit().assumptions.plug_room_mm == pytest.approx(38.1, abs=0.01)


def test_units_are_chosen_in_the_preferences_and_kept(qtbot, tmp_path):
    settings = Settings(tmp_path)
    assert read_preferences(settings).units is None
    dialog = PreferencesDialog(Preferences())
    qtbot.addWidget(dialog)
    dialog.units.setCurrentIndex(dialog.units.findData("us"))
    use_preferences(settings, dialog.preferences())
    assert read_preferences(Settings(tmp_path)).units is System.US
