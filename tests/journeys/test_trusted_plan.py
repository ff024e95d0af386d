"""A plan that can be trusted: overlap and its fix, an own circuit, and only what fits, in the real window."""

from typing import Any

import pytest

from core.build.mains import custom_circuit
from core.parts.vocabulary import Category
from core.rules.finding import Finding, Status
from gui.main_window import MainWindow
from gui.planner.board.arrange_dialog import ArrangeDialog
from gui.planner.site_dialog import SiteDialog

pytestmark = [pytest.mark.journey, pytest.mark.usefixtures("leave_nothing_behind")]


def found(window: MainWindow, rule: str) -> list[Finding]:
    """What the shown list of findings says of a rule."""
    model = window.plan.findings.model
    findings = [model.row(row).finding for row in range(model.rowCount())]
    return [finding for finding in findings if finding is not None and finding.rule == rule]


def test_an_overlap_is_fixed_a_circuit_is_stated_and_what_does_not_fit_vanishes(window: MainWindow, qtbot: Any) -> None:
    plan, document = window.plan, window.document
    next(action for action in window.menus.templates.actions() if "3090, quiet" in action.text()).trigger()
    assert not found(window, "slot-overlap")

    # a wrong placement, typed: thick cards in neighbouring slots
    plan.table.select_parts([document.build.of(Category.GPU)[0].part.id])
    plan.replace_with("asus-tuf-rtx-3090-oc-24g")
    card = document.build.of(Category.GPU)[0]
    assert card.part.id == "asus-tuf-rtx-3090-oc-24g"
    overlaps = found(window, "slot-overlap")
    assert overlaps
    assert overlaps[0].status is Status.FAIL
    wrong = document.build

    # the fix, a moment later, and undo
    model = plan.findings.model
    row = next(row for row in range(model.rowCount()) if model.row(row).finding == overlaps[0])
    plan.findings.view.setCurrentIndex(model.index(row))
    qtbot.waitUntil(lambda: bool(plan.findings.reasons.fix_buttons))
    button = plan.findings.reasons.fix_buttons[0]
    assert button.accessibleName()
    button.click()
    assert overlaps[0] not in document.assessment.findings
    window.menus.actions["undo"].trigger()
    assert document.build == wrong
    window.menus.actions["undo"].trigger()

    # the best arrangement is what the template has, or better: it can be looked at and left
    window.menus.actions["arrange"].trigger()
    arranging = window.findChildren(ArrangeDialog)[0]
    qtbot.waitUntil(lambda: not arranging.busy)
    assert arranging.reasons.toPlainText()
    arranging.reject()

    # an own circuit, too weak for the machine
    assert not found(window, "mains-circuit")
    plan.details.more.click()
    site = window.findChildren(SiteDialog)[0]
    site.circuits.own.setChecked(True)
    site.circuits.voltage.setValue(120)
    site.circuits.current.setValue(15)
    site.circuits.share.setValue(80)
    site.accept()
    assert document.build.circuit == custom_circuit(120, 15, 0.8)
    assert plan.details.region.currentText() == "Custom 120 V 15 A"
    assert found(window, "mains-circuit")
    window.menus.actions["undo"].trigger()
    assert not found(window, "mains-circuit")

    # only what fits
    plan.parts.show_category(Category.PSU)
    weak = "corsair-rm850x-2021"
    qtbot.waitUntil(lambda: not plan.fitting.busy)
    assert plan.parts.only_fitting.isChecked()
    assert weak not in plan.parts.parts.ids()
    plan.parts.only_fitting.click()
    assert weak in plan.parts.parts.ids()
    plan.parts.only_fitting.click()
    assert plan.parts.parts.rowCount() > 0
