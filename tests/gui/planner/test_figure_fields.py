"""A figure that rules wait for is entered where the question stands, and undo takes it out of the plan."""

import json

import pytest
from PySide6.QtCore import Qt

from core.parts.own import correction
from core.parts.vocabulary import Category
from core.rules.engine import MISSING
from gui.parts.part_editor import PartEditor
from gui.planner.findings.panel import is_typed
from tests.gui.conftest import QUIET


def pick(panel, field):
    """Chooses the question that waits for such a figure."""
    for row in range(panel.model.rowCount()):
        finding = panel.model.rows[row].finding
        if finding.rule == MISSING and any(figure.endswith(field) for figure in finding.needed):
            panel.view.setCurrentIndex(panel.model.index(row, 0))
            return finding
    raise AssertionError([row.finding.message for row in panel.model.rows])


def open_without(window, category, *fields):
    """Opens a build of whose part of this category figures are unknown; the id of the part."""
    lines = json.loads(QUIET.read_text(encoding="utf-8"))["lines"]
    parts = [window.connection.find_part(line["part"]) for line in lines]
    [part] = [part for part in parts if part.category is category]
    window.connection.catalogue().correct({part.id: correction(dict.fromkeys(fields))})
    window.open(QUIET)
    window.workspace.parts_actions.refresh_plan()
    return part.id


@pytest.fixture
def cpu_id(window):
    """Opens a build of whose CPU the power limit is unknown."""
    return open_without(window, Category.CPU, "sustained_power_w")


def test_a_number_is_typed_where_the_question_stands_stored_and_undone(qtbot, window, cpu_id):
    panel = window.plan.findings
    question = pick(panel, "sustained_power_w")
    assert len(question.waiting) > 3
    [field] = panel.figures.fields
    assert (field.unit.text(), panel.figures.isVisible()) == ("W", True)
    field.line.setText("280")
    qtbot.keyClick(field.line, Qt.Key.Key_Return)
    assert window.document.build.line(cpu_id).part.spec.sustained_power_w == 280
    assert window.connection.find_part(cpu_id).spec.sustained_power_w == 280
    assert question.needed not in [finding.needed for finding in window.document.assessment.findings]
    assert not panel.figures.isVisible()
    window.document.undo_stack.undo()
    assert window.document.build.line(cpu_id).part.spec.sustained_power_w is None


def test_what_cannot_be_right_is_refused_in_words_and_stays_typed(qtbot, window, cpu_id):
    panel = window.plan.findings
    pick(panel, "sustained_power_w")
    [field] = panel.figures.fields
    field.line.setText("much")
    field.button.click()
    assert window.plan.notice.isVisible()
    assert field.line.text() == "much"
    assert window.document.build.line(cpu_id).part.spec.sustained_power_w is None


def test_a_figure_that_was_entered_loses_its_field_and_the_other_stays(qtbot, window):
    open_without(window, Category.RAM, "module_gb", "modules")
    panel = window.plan.findings
    pick(panel, "module_gb")
    first, second = panel.figures.fields
    first.line.setText("32")
    qtbot.keyClick(first.line, Qt.Key.Key_Return)
    assert [field.label.text() for field in panel.figures.fields] == [second.label.text()]


def test_a_table_is_entered_in_the_editor(qtbot, window):
    open_without(window, Category.MOTHERBOARD, "power_inputs")
    panel = window.plan.findings
    pick(panel, "power_inputs")
    [field] = panel.figures.fields
    assert field.line is None
    field.button.click()
    qtbot.waitUntil(lambda: bool(window.findChildren(PartEditor)))
    window.findChildren(PartEditor)[0].reject()


@pytest.mark.parametrize(
    ("category", "field", "typed"),
    [
        (Category.CPU, "sustained_power_w", True),
        (Category.PSU, "cables", False),
        (Category.CPU, "socket", False),
        (Category.MOTHERBOARD, "sata_ports", True),
        (Category.MOTHERBOARD, "bmc", False),
    ],
)
def test_numbers_are_typed_and_tables_and_choices_are_not(category, field, typed):
    assert is_typed(category, field) is typed
