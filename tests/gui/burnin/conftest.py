"""The widgets of a burn-in, each in a state that tests begin with."""

from types import SimpleNamespace

import pytest

from gui.burnin.chart.board import ChartBoard
from gui.burnin.run import page as page_module
from gui.burnin.run.page import BurninPage
from gui.burnin.run.plan_bar import PlanBar
from gui.burnin.run.run_view import RunView
from tests.gui.burnin.fake_run import CPU, gpu


@pytest.fixture
def board(qtbot):
    board = ChartBoard()
    qtbot.addWidget(board)
    board.resize(900, 600)
    board.show()
    return board


@pytest.fixture
def plan_with(qtbot):
    """A plan bar with devices, simulated ones where they are named."""

    def make(devices, simulated=None):
        plan = PlanBar()
        qtbot.addWidget(plan)
        plan.simulated = simulated
        plan.set_devices(devices)
        return plan

    return make


@pytest.fixture
def view(qtbot, tmp_path, quick_reader):
    """A view that shows no run yet."""
    view = RunView(tmp_path)
    qtbot.addWidget(view)
    view.resize(1000, 700)
    view.show()
    yield view
    view.clear()


@pytest.fixture
def watched(view, qtbot, fake_run):
    """The view of a run that goes on."""

    def watch(*args, **kwargs):
        run = fake_run(*args, **kwargs).started()
        view.open(run.id)
        qtbot.waitUntil(lambda: view.recording is not None)
        return run

    return watch


@pytest.fixture
def devices(monkeypatch):
    """What the machine has; a test may change it before the page is shown."""
    present = [gpu(0, simulated=False, id="GPU-aaaa"), gpu(1, simulated=False, id="GPU-bbbb"), CPU]
    requests = []

    def detect(simulate=None):
        requests.append(simulate)
        return [gpu(0)] if simulate else list(present)

    monkeypatch.setattr(page_module, "detect_devices", detect)
    return SimpleNamespace(devices=present, requests=requests)


@pytest.fixture
def page(qtbot, tmp_path, devices, quick_reader, monkeypatch):
    monkeypatch.setattr(page_module, "LOOK_MS", 50)
    page = BurninPage(tmp_path)
    qtbot.addWidget(page)
    page.resize(1000, 700)
    yield page
    page.view.clear()
