"""What was not checked: its list, and the way to the figures that would settle it."""

import pytest
from PySide6.QtCore import Qt

from core.plan.edits import AddPart, RemovePart
from core.rules.engine import not_checked
from core.rules.finding import Status
from gui.parts.part_editor import PartEditor
from gui.planner.build_files import TEMPLATES
from gui.planner.findings.finding_list import FindingsModel, finding_rows, unchecked_rows

DEVBOX = TEMPLATES / "digits-devbox.rig.json"


@pytest.fixture
def model(document):
    return FindingsModel(document, unchecked_rows, document)


def open_half_known(document, catalogue):
    """A machine with a card and a UPS of which figures are unknown."""
    document.open(DEVBOX)
    for part_id in ("asus-tuf-rtx-3090-oc-24g", "cyberpower-cp1500pfclcd", "silverstone-rm44"):
        document.edit(AddPart(catalogue.require(part_id)))
    document.edit(RemovePart("corsair-carbide-air-540"))


def test_every_figure_that_a_rule_waits_for_is_listed_once_with_the_rules(document, catalogue, model):
    open_half_known(document, catalogue)
    waiting = not_checked(document.assessment.findings)
    missing = {figure for finding in waiting for figure in finding.missing}
    listed = [f"{gap.part_id}.{gap.field}" for gap in model.rows if gap.settles]
    assert sorted(listed) == sorted(missing)
    counts = [gap.settles for gap in model.rows]
    assert counts == sorted(counts, reverse=True), "the most useful figure first"
    assert model.rows[0].message.startswith("Needed by: ")


def test_parts_that_are_still_to_be_chosen_are_listed_below(document, catalogue, model):
    document.edit(AddPart(catalogue.require("asus-tuf-rtx-3090-oc-24g")))
    last = model.rows[-1]
    assert not last.field
    assert last.head.startswith("Not in the build yet: CPU, motherboard, RAM")
    assert "Air in and out" in last.message
    assert [gap.field for gap in model.rows].count("") == 1, "one line for all of them"


def test_the_findings_name_what_is_unknown_and_leave_parts_to_choose_to_this_list(document, catalogue):
    open_half_known(document, catalogue)
    document.edit(RemovePart("silverstone-rm44"))
    findings = FindingsModel(document, finding_rows)
    shown = [row.finding for row in findings.rows]
    assert Status.UNKNOWN in {finding.status for finding in shown}
    assert all(finding.checked for finding in shown)


def test_enter_opens_the_part_at_the_missing_figure(qtbot, window, catalogue):
    open_half_known(window.document, catalogue)
    panel = window.plan.unchecked
    window.plan.side.setCurrentWidget(panel)
    assert f"({panel.model.rowCount()})" not in window.plan.side.tabText(0)
    row = next(row for row in range(panel.model.rowCount()) if panel.model.rows[row].field)
    panel.view.setCurrentIndex(panel.model.index(row, 0))
    gap = panel.model.rows[row]
    assert window.plan.table.selected_ids() == [gap.part_id]
    panel.view.setFocus()
    qtbot.keyClick(panel.view, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(window.findChildren(PartEditor)))
    editor = window.findChildren(PartEditor)[0]
    control = editor.form.rows[gap.field].control
    qtbot.waitUntil(lambda: editor.focusWidget() in (control, control.focusProxy()))
    editor.reject()


def test_a_build_without_open_questions_says_so(window):
    panel = window.plan.unchecked
    window.plan.side.setCurrentWidget(panel)
    assert "listed here" in panel._empty.label.text()
    assert not panel.enter_button.isVisible()


def test_the_tab_counts_what_is_open(window, catalogue):
    open_half_known(window.document, catalogue)
    count = len(not_checked(window.document.assessment.findings))
    assert window.plan.side.tabText(1) == f"Not checked ({count})"
    window.document.new()
    assert window.plan.side.tabText(1) == "Not checked"
