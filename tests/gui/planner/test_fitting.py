import pytest
from PySide6.QtCore import Qt

from core.build.edits import AddPart, SwapPart
from gui.planner.fitting import failures, obstacles, putting_in
from tests.gui.conftest import QUIET


def why_not(document, catalogue, part_id, selected=()):
    edit = putting_in(document.build, catalogue.require(part_id), selected)
    return obstacles(document.build, edit, failures(document.assessment.findings)) if edit else ()


@pytest.mark.parametrize(
    ("part_id", "selected", "kind"),
    [
        ("corsair-rm850x-2021", (), SwapPart),
        ("asus-tuf-rtx-3090-oc-24g", (), AddPart),
        ("asus-tuf-rtx-3090-oc-24g", ("rtx-3090-reference-single-slot-block",), SwapPart),
        ("corsair-ax1600i", (), type(None)),
    ],
)
def test_a_part_replaces_its_like_where_a_machine_has_one_kind(document, catalogue, part_id, selected, kind):
    document.open(QUIET)
    assert isinstance(putting_in(document.build, catalogue.require(part_id), selected), kind)


def test_a_part_that_makes_a_rule_fail_is_explained(document, catalogue):
    document.open(QUIET)
    assert why_not(document, catalogue, "corsair-rm850x-2021")
    assert all(sentence.endswith(".") for sentence in why_not(document, catalogue, "corsair-rm850x-2021"))


def test_a_part_that_only_shares_an_old_failure_is_not_blamed_for_it(document, catalogue):
    document.open(QUIET)
    document.edit(SwapPart("corsair-ax1600i", catalogue.require("corsair-rm850x-2021")))
    assert failures(document.assessment.findings)
    assert why_not(document, catalogue, "noctua-nf-a14-industrialppc-3000-pwm") == ()


def test_the_list_marks_what_does_not_fit_and_hides_it_on_demand(qtbot, window):
    window.open(QUIET)
    panel, fitting = window.plan.parts, window.plan.fitting
    panel.search.setText("rm850x")
    qtbot.waitUntil(lambda: not fitting.busy)
    row = panel.parts.ids().index("corsair-rm850x-2021")
    assert not panel.parts.fits(row)
    assert "Would not do" in panel.parts.index(row).data(Qt.ItemDataRole.ToolTipRole)
    panel.only_fitting.setChecked(True)
    assert panel.results.isRowHidden(row)
    panel.only_fitting.setChecked(False)
    assert not panel.results.isRowHidden(row)


def test_in_an_empty_build_everything_fits(qtbot, window):
    window.open(QUIET)
    window.plan.parts.search.setText("rm850x")
    qtbot.waitUntil(lambda: not window.plan.fitting.busy)
    window.document.new()
    qtbot.waitUntil(lambda: not window.plan.fitting.busy)
    assert all(window.plan.parts.parts.fits(row) for row in range(window.plan.parts.parts.rowCount()))
