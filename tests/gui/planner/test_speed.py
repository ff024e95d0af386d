"""No freeze: an edit of an eight-GPU machine, with findings, prediction and all panels, is one frame."""

from dataclasses import replace
from time import perf_counter

import pytest

from core.build.card_edits import SetPowerLimit
from core.build.edits import SetLines
from core.parts.vocabulary import Category
from gui.build_files import TEMPLATES

FRAME_S = 0.016
SLOW = 10
"""A machine that does ten other things is no reason to fail; a search on the window's thread is."""
DSS = TEMPLATES / "dell-dss-8440.rig.json"


@pytest.fixture
def eight(window):
    window.open(DSS)
    line = window.document.build.of(Category.GPU)[0]
    fewer = replace(line, quantity=8, slots=line.slots[:8])
    lines = tuple(fewer if other is line else other for other in window.document.build.lines)
    window.document.edit(SetLines("Eight cards", lines))
    assert window.document.build.count(Category.GPU) == 8
    return fewer.part.id


@pytest.mark.parametrize("panel", ["findings", "unchecked", "connections"])
def test_an_edit_of_eight_gpus_takes_less_than_a_frame(qtbot, window, eight, panel):
    plan = window.plan
    plan.side.setCurrentWidget(getattr(plan, panel))
    plan.findings.view.setCurrentIndex(plan.findings.model.index(0))
    plan.parts.show_category(Category.GPU)
    taken = []
    for watts in range(200, 215):
        begun = perf_counter()
        window.document.edit(SetPowerLimit(eight, float(watts)))
        taken.append(perf_counter() - begun)
        qtbot.wait(1)
    # The least of them: this machine does other things meanwhile.
    assert min(taken) < SLOW * FRAME_S, f"{1000 * min(taken):.1f} ms at best"


def test_what_takes_longer_is_not_waited_for(window, eight):
    """Mends, what fits and the best arrangement begin after the edit."""
    plan = window.plan
    plan.parts.show_category(Category.GPU)
    begun = perf_counter()
    plan.arrange_cards()
    assert perf_counter() - begun < SLOW * 0.25
    assert plan.fitting.busy
