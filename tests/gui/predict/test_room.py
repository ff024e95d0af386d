"""The room and the fans: typed, predicted beside the window, and kept where each belongs."""

import pytest
from PySide6.QtCore import Qt

from core.predict.conditions import Conditions, LoadCase
from gui.predict.room_form import RoomForm
from tests.gui.conftest import QUIET


@pytest.fixture
def form(qtbot, document, page):
    document.open(QUIET)
    return page.room


def type_in(qtbot, field, text):
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, Qt.Key.Key_Return)


def test_a_typed_room_changes_the_figures_a_moment_later(qtbot, document, page, form):
    before = document.assessment.prediction.heat.hottest.temperature_c.expected
    type_in(qtbot, form.room, "35")
    qtbot.waitUntil(lambda: document.assessment.prediction.conditions.room_c == 35)
    assert document.assessment.prediction.heat.hottest.temperature_c.expected > before + 8
    assert not document.dirty


def test_turning_a_wheel_asks_once(qtbot, document, form):
    emitted = []
    form.room_wanted.connect(emitted.append)
    for step in range(1, 9):
        form.altitude.setValue(100 * step)
    qtbot.waitUntil(lambda: bool(emitted))
    assert [conditions.altitude_m for conditions in emitted] == [800]


def test_figures_that_nobody_gave_hold_only_while_their_box_is_ticked(qtbot, document, form):
    assert not form.volume.isEnabled()
    assert not form.reverberation.isEnabled()
    form.volume.box.click()
    form.tariff.box.click()
    form.commit()
    assert document.conditions == Conditions(room_volume_m3=40, tariff_per_kwh=0.3)
    assert form.reverberation.isEnabled()
    form.volume.box.click()
    form.tariff.box.click()
    form.commit()
    assert document.conditions == Conditions()


def test_another_load_is_reckoned_for_energy_and_circuit(qtbot, document, show, form):
    energy = show("energy")
    before = energy.table("Energy and cost").figures.cell(1, 1).order
    form.load.setCurrentIndex(list(LoadCase).index(LoadCase.EVERYTHING))
    qtbot.waitUntil(lambda: energy.table("Energy and cost").figures.cell(1, 1).order > before)
    assert "CPUs and GPUs" in energy.lead.text()
    assert "CPUs and GPUs" in show("power").lead.text()
    document.set_conditions(Conditions())
    qtbot.waitUntil(lambda: not document.predicting)
    assert LoadCase(form.load.currentData()) is LoadCase.TRAINING


def test_fans_are_set_with_the_build_and_undo_takes_them_back(qtbot, document, form):
    form.fans.box.click()
    form.fans.setValue(30)
    form.commit()
    assert document.build.fan_share == 0.3
    assert document.undo_stack.undoText() == "Set the fans to 30 %"
    assert document.conditions.fan_share is None
    document.undo_stack.undo()
    assert document.build.fan_share is None
    assert not form.fans.box.isChecked()


def test_as_usual_puts_the_room_back_and_leaves_the_fans(qtbot, document, form):
    document.set_conditions(Conditions(room_c=30, tariff_per_kwh=1))
    qtbot.waitUntil(lambda: not document.predicting)
    form.fans.box.click()
    form.commit()
    form.usual.click()
    assert document.conditions == Conditions()
    assert form.room.value() == 25
    assert not form.tariff.box.isChecked()
    assert document.build.fan_share == 0.5


def test_what_is_being_typed_is_not_taken_away(qtbot):
    form = RoomForm()
    qtbot.addWidget(form)
    form.room.setValue(31)
    form.show_room(Conditions(room_c=20), None)
    assert form.room.value() == 31
    with qtbot.waitSignal(form.room_wanted) as emitted:
        pass
    assert emitted.args[0].room_c == 31


def test_no_figure_that_a_field_takes_is_refused(qtbot):
    form = RoomForm()
    qtbot.addWidget(form)
    for end in ("minimum", "maximum"):
        for field in (form.volume, form.tariff, form.fans):
            field.box.setChecked(True)
        for field in form._fields.values():
            field.setValue(getattr(field, end)())
        form.commit()
