"""Which power limit fits, what each one does, and how quiet water can be: worked out beside the window."""

import pytest
from PySide6.QtCore import QThreadPool

from core.parts.vocabulary import Category
from core.plan.card_edits import SetPowerLimit
from core.plan.edits import SetDetails
from core.predict.conditions import Conditions
from core.predict.limit_for import limit_for, noise_goal
from core.predict.prediction import predict
from gui.planner.build_files import TEMPLATES
from gui.predict.limits import edit_for, share_set
from tests.gui.conftest import FIRST_ATTEMPT, QUIET, change_figures
from tests.gui.predict.conftest import settle, texts

PC = TEMPLATES / "researcher-pc.rig.json"


@pytest.fixture
def limit(document, show):
    document.open(PC)
    return show("limit")


def test_a_limit_that_fits_is_applied_in_one_step_and_undone(qtbot, document, limit):
    goals, before = limit.goals, document.build
    assert "the speed is then " in goals.sentences[1].text()
    goals.buttons[1].click()
    assert predict(document.build).noise_load.expected <= 35
    assert document.undo_stack.count() == 1
    assert document.undo_stack.undoText().startswith("Limit all GPUs to ")
    assert not limit.busy, "what fits does not depend on what is set"
    assert goals.sentences[1].text().endswith("Already set.")
    assert not goals.buttons[1].isEnabled()
    assert 0.5 < share_set(document.build) < 1
    assert limit.charts["wall"].picture.mark == pytest.approx(100 * share_set(document.build))
    document.undo_stack.undo()
    assert document.build == before


def test_a_goal_that_is_met_without_a_limit_takes_limits_away(qtbot, document, limit):
    card = document.build.of(Category.GPU)[0].part
    document.edit(SetPowerLimit(card.id, 150))
    settle(qtbot, limit)
    assert "without a limit" in limit.goals.sentences[0].text()
    limit.goals.buttons[0].click()
    assert document.build.of(Category.GPU)[0].power_limit_w is None


def test_another_goal_is_looked_for_a_moment_later(qtbot, limit):
    before = limit.goals.sentences[1].text()
    limit.goals.noise.setValue(38)
    settle(qtbot, limit)
    assert limit.goals.sentences[1].text() != before
    limit.goals.noise.setValue(12)
    settle(qtbot, limit)
    assert "at any power limit that the cards accept" in limit.goals.sentences[1].text()
    assert not limit.goals.buttons[1].isEnabled()


def test_curves_and_table_tell_the_same(document, limit):
    wall = limit.charts["wall"].picture.curves[0]
    assert wall.expected == tuple(sorted(wall.expected))
    assert all(low <= middle <= high for low, middle, high in zip(wall.low, wall.expected, wall.high, strict=True))
    table = limit.table.figures
    assert [table.cell(row, 2).order for row in range(table.rowCount())] == list(wall.expected)
    assert limit.charts["wall"].picture.lines[0].text == document.build.circuit.title
    images = limit.charts["speed"].picture
    limit.network.setCurrentIndex(2)
    assert limit.charts["speed"].picture != images
    assert limit.charts["speed"].picture.unit == "tokens/s"


def test_another_name_is_no_reason_to_work_anything_out_again(document, limit):
    document.edit(SetDetails(name="Renamed"))
    assert not limit.busy


def test_what_nobody_looks_at_any_more_is_given_up(qtbot, document, page, show):
    document.open(QUIET)
    page.show_section("quiet")
    panel = page.panel("quiet")
    assert panel.busy
    page.show_section("power")
    assert not panel.busy
    QThreadPool.globalInstance().waitForDone(10_000)
    qtbot.wait(10)
    assert panel.table.figures.rowCount() == 0
    show("quiet")
    assert panel.table.figures.rowCount() > 0


def test_the_map_of_radiators_sets_limit_and_fans_of_its_own_rows(document, show):
    document.open(QUIET)
    panel = show("quiet")
    assert len(panel.chart.picture.curves) > 1
    assert all(curve.words for curve in panel.chart.picture.curves)
    assert not panel.apply.isEnabled()
    quietest = min(row.noise_dba for row in panel._settings if row.noise_dba is not None)
    assert f"{quietest:.1f}" in panel.lead.text()
    assert f"{quietest:.1f}" in [row[3] for row in texts(panel.table)], "as fine as in the lead"
    own = next(row for row in panel._settings if row.places == panel._own_places and row.fan_share)
    panel.table.choose((own.places, own.limit_share))
    before = document.build
    panel.apply.click()
    assert document.build.fan_share == own.fan_share
    assert share_set(document.build) == pytest.approx(own.limit_share)
    assert predict(document.build).noise_load.expected == pytest.approx(own.noise_dba, abs=0.1)
    document.undo_stack.undo()
    assert document.build == before


def test_cards_of_unknown_limit_say_what_is_missing(document, show):
    document.open(PC)
    change_figures(document, Category.GPU, power_limit_w=None)
    panel = show("limit")
    assert "is unknown" in panel.empty.label.text()


def test_limits_are_whole_watts_that_keep_the_goal(document):
    document.open(FIRST_ATTEMPT)
    goal = noise_goal(40)
    answer = limit_for(document.build, Conditions(), goal)
    after = edit_for(document.build, answer).apply(document.build)
    assert all(line.power_limit_w == int(line.power_limit_w) for line in after.of(Category.GPU))
    assert goal.measure(predict(after)) <= 40
    assert edit_for(after, answer) is None
