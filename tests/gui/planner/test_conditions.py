"""The room that the plan is predicted in: beside the window, kept by the user's settings, and no edit."""

import pytest

from core.plan.edits import SetDetails
from core.predict.conditions import Conditions, LoadCase
from gui.settings import Settings
from tests.gui.conftest import QUIET

HOT = Conditions(room_c=38, distance_m=2, tariff_per_kwh=0.3, load=LoadCase.EVERYTHING)


@pytest.fixture
def plan(document):
    document.open(QUIET)
    assert document.assessment.conditions == Conditions()
    return document


def hottest(document):
    return document.assessment.prediction.heat.hottest


def test_another_room_changes_the_figures_a_moment_later_and_is_no_edit(qtbot, plan):
    before, build = hottest(plan), plan.build
    plan.set_conditions(HOT)
    assert plan.predicting
    assert hottest(plan) is before
    qtbot.waitUntil(lambda: not plan.predicting)
    assert not plan.predicting
    assert hottest(plan).temperature_c.expected > before.temperature_c.expected + 10
    assert plan.build is build
    assert not plan.dirty


def test_of_rooms_that_follow_each_other_fast_the_last_counts(qtbot, plan):
    for room_c in range(26, 40):
        plan.set_conditions(Conditions(room_c=room_c))
    qtbot.waitUntil(lambda: not plan.predicting)
    assert plan.assessment.prediction.conditions.room_c == 39


def test_an_edit_meanwhile_is_predicted_in_the_new_room_at_once(qtbot, plan):
    plan.set_conditions(HOT)
    plan.edit(SetDetails(name="Meanwhile"))
    assert plan.assessment.conditions == HOT
    assert plan.assessment.build.name == "Meanwhile"
    qtbot.wait(100)
    assert plan.assessment.build.name == "Meanwhile"


def test_the_room_is_kept_for_the_next_start(qtbot, window, data_dir):
    window.document.set_conditions(HOT)
    window.settings.flush()
    stored = Settings(data_dir).conditions
    assert stored == HOT
    assert stored.load is LoadCase.EVERYTHING


@pytest.mark.parametrize(
    "stored",
    ["[]", "{", '{"room_c": "warm"}', '{"room_c": 1000}', '{"sun": 1}', '{"load": "party"}', '{"room_c": NaN}'],
)
def test_a_damaged_room_is_the_usual_one(qtbot, tmp_path, stored):
    settings = Settings(tmp_path)
    settings.set_text("room", stored)
    assert settings.conditions == Conditions()
