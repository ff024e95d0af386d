"""No freeze: an edit of an eight-GPU machine, with findings, prediction and all panels, is one frame.

pytest tests/benchmarks/test_edit_speed.py --benchmark-enable
"""

import itertools
import os
from dataclasses import replace

import pytest

from core.parts.vocabulary import Category
from core.plan.card_edits import SetPowerLimit
from core.plan.edits import SetLines
from gui.planner.build_files import TEMPLATES
from tests.gui.conftest import shown_window

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

FRAME_S = 0.016
DSS = TEMPLATES / "dell-dss-8440.rig.json"


@pytest.fixture
def window(qtbot, data_dir):
    """The window with a machine of eight cards."""
    with shown_window(qtbot, data_dir) as shown:
        shown.open(DSS)
        line = shown.document.build.of(Category.GPU)[0]
        fewer = replace(line, quantity=8, slots=line.slots[:8])
        lines = tuple(fewer if other is line else other for other in shown.document.build.lines)
        shown.document.edit(SetLines("Eight cards", lines))
        yield shown


@pytest.mark.parametrize("panel", ["findings", "unchecked", "connections"])
def test_an_edit_of_eight_gpus_takes_less_than_a_frame(benchmark, qtbot, window, panel):
    plan = window.plan
    plan.side.setCurrentWidget(getattr(plan, panel))
    plan.findings.view.setCurrentIndex(plan.findings.model.index(0, 0))
    plan.parts.show_category(Category.GPU)
    part_id = window.document.build.of(Category.GPU)[0].part.id
    watts = itertools.cycle(range(200, 240))

    def next_edit():
        qtbot.wait(1)
        return (SetPowerLimit(part_id, float(next(watts))),), {}

    benchmark.pedantic(window.document.edit, setup=next_edit, rounds=20, warmup_rounds=2)
    assert window.document.build.count(Category.GPU) == 8
    assert 200 <= window.document.build.of(Category.GPU)[0].power_limit_w < 240
    assert benchmark.disabled or benchmark.stats.stats.median < FRAME_S
