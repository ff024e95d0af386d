"""What the command line can order, the window can order; what cannot be had is said where it was asked for."""

import pytest

from core.burnin.profile.file import PROFILES
from gui.burnin.run.before_run import SimulateDialog
from tests.gui.burnin.fake_run import CPU, gpu


@pytest.fixture
def plan(plan_with):
    plan = plan_with([gpu(0), gpu(1), CPU], "2x3090")
    plan.profile.setCurrentIndex(plan.profile.findData("every-check"))
    plan.show()
    return plan


def listed(plan):
    tree = plan.stages.list
    return [tree.topLevelItem(row).text(0) for row in range(tree.topLevelItemCount())]


def test_left_alone_the_options_order_the_profile_as_it_is(plan):
    order = plan.order()
    assert order.profile == "every-check"
    assert (order.stages, order.networks, order.precision, order.settings) == ((), (), None, ())


def test_every_option_is_in_the_order(plan):
    plan.options.networks["resnet"].setChecked(True)
    plan.options.precision.setCurrentIndex(plan.options.precision.findData("fp32"))
    plan.options.batch.setValue(16)
    plan.options.power_limit.setValue(300)
    plan.options.settings.setText("gemm.size=4096  resnet.image=128")
    order = plan.order()
    assert (order.networks, order.precision, order.batch, order.power_limit_w) == (("resnet",), "fp32", 16, 300.0)
    assert order.settings == ("gemm.size=4096", "resnet.image=128")


def test_the_list_shows_the_stages_that_will_run_with_what_they_find(plan):
    plan.options.stage_actions["vram"].setChecked(True)
    plan.options.stage_actions["bandwidth"].setChecked(True)
    assert listed(plan) == ["Memory patterns", "Memory bandwidth"]
    assert "memory cells" in plan.stages.list.topLevelItem(0).text(2)
    assert plan.options.stages.text() == "2 chosen"


def test_stages_of_many_rounds_are_listed_once_with_their_number(plan, tmp_path):
    file = tmp_path / "rounds.toml"
    stages = "{kind='gemm', seconds=60}, {kind='vram', seconds=60}"
    file.write_text(f"name='rounds'\ntitle='R'\n[[stages]]\ntimes=50\nrepeat=[{stages}]\n")
    plan.profile.setCurrentIndex(plan.add_profile(file))
    assert listed(plan) == ["Verified GEMM", "Memory patterns"]
    assert plan.stages.list.topLevelItem(0).text(1) == "50 × 1:00"
    assert "100 stages" in plan.stages.description.text()


@pytest.mark.parametrize(
    ("ask", "row", "says"),
    [
        (lambda options: options.settings.setText("vram"), "settings", "KIND.NAME=VALUE"),
        (lambda options: options.settings.setText("gemm.size=7"), "settings", "size"),
        (lambda options: options.stage_actions["idle"].setChecked(True) or options.batch.setValue(3), "batch", "batch"),
    ],
)
def test_what_cannot_be_had_is_said_at_its_row_and_nothing_can_be_started(plan, ask, row, says):
    ask(plan.options)
    problems = {name: label.text() for name, label in plan.options.problems.items() if not label.isHidden()}
    assert list(problems) == [row]
    assert says in problems[row]
    assert plan.order() is None
    assert not plan.startable


def test_a_mended_option_takes_its_sentence_away(plan):
    plan.options.settings.setText("nonsense")
    plan.options.settings.clear()
    assert all(label.isHidden() for label in plan.options.problems.values())
    assert plan.startable


def test_a_profile_file_that_cannot_be_used_says_why(plan, tmp_path):
    file = tmp_path / "broken.toml"
    file.write_text("name = ")
    plan.profile.setCurrentIndex(plan.add_profile(file))
    assert "not valid TOML" in plan.problem.text()
    assert not plan.startable


def test_what_will_be_drawn_is_said_before_the_start(plan):
    assert "700 W" in plan.expected.text()
    assert "SIMULATED devices draw nothing" in plan.expected.text()


def test_every_shipped_profile_can_be_chosen_and_listed(plan):
    for path in PROFILES.glob("*.toml"):
        plan.profile.setCurrentIndex(plan.profile.findData(path.stem))
        assert plan.startable, plan.problem.text()
        assert listed(plan)


def test_the_simulation_is_checked_while_it_is_written(qtbot):
    dialog = SimulateDialog("4x3090,fault=ecc@2:30s")
    qtbot.addWidget(dialog)
    ok = dialog.buttons.buttons()[0]
    assert "Cards: 4. Faults: 1." in dialog.message.text()
    assert ok.isEnabled()
    dialog.text.setText("4x3090,fault=ecc@9")
    assert "not 9" in dialog.message.text()
    assert not ok.isEnabled()
    dialog.text.clear()
    assert ok.isEnabled()
