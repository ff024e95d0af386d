"""No wait: another page of the window is on screen within a tenth of a second, once it was shown.

pytest tests/benchmarks/test_page_switch_speed.py -s
"""

import os

import pytest

from gui.planner.build_files import TEMPLATES
from gui.shell.pages import BURNIN, PLAN, PREDICTIONS, RUNS
from tests.benchmarks.reference_work import quiet_seconds
from tests.gui.conftest import shown_window

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

BUDGET_S = 0.1
DSS = TEMPLATES / "dell-dss-8440.rig.json"
NAMES = {PLAN: "Plan", PREDICTIONS: "Predictions", BURNIN: "Burn-in", RUNS: "Runs"}


@pytest.mark.parametrize("page", NAMES, ids=NAMES.values())
def test_a_page_is_painted_within_a_tenth_of_a_second(qtbot, data_dir, page):
    with shown_window(qtbot, data_dir) as window:
        window.open(DSS)
        other = PLAN if page != PLAN else RUNS
        for number in (page, other):
            window.pages.setCurrentIndex(number)
            qtbot.wait(50)

        def there_and_back():
            for number in (page, other):
                window.pages.setCurrentIndex(number)
                window.grab()

        taken_s = quiet_seconds(there_and_back, 2 * BUDGET_S) / 2
    assert taken_s < BUDGET_S, f"{1000 * taken_s:.0f} ms to {NAMES[page]} on the quiet machine"
