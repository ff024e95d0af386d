"""What the burn-in page asks before a run and before its end: the planned machine, its cards' slots, load and stop."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication, QWidget

from core.asbuilt.as_built import AsBuilt
from core.asbuilt.inspection import inspect
from core.burnin.planned import read_plan
from core.burnin.run.order import BurnOrder
from core.burnin.run.run_setup import arrival_of
from core.burnin.simulated_plan import with_plan
from core.language import tr
from gui.burnin.as_built_dialog import accepted_lines
from gui.burnin.clock import clock
from gui.burnin.plan_bar import ExpectedLoad, PlanBar
from gui.burnin.recording import Recording
from gui.burnin.simulate_dialog import ask_simulation
from gui.burnin.slots_dialog import SlotsDialog
from gui.widgets import messages

ASK_ABOVE_S = 600.0
"""A run that is planned to last longer is stopped only after a question."""
BIG_LOAD_W = 1000.0
"""Above this a load is started only after a question: a shared mains circuit may trip."""


def accepted_order(page: QWidget, order: BurnOrder, bar: PlanBar, data_dir: Path) -> BurnOrder | None:
    """The order with what the user accepts of a machine that is not as planned; None where there shall be no run."""
    found = arrival_of(order, bar.present, data_dir)
    if found.simulated or not found.blocking:
        return order

    def move_cards() -> AsBuilt:
        show_slots(QApplication.activeModalWidget() or page, bar, data_dir)
        return arrival_of(order, bar.present, data_dir)

    keys = accepted_lines(page, found, move_cards)
    return None if keys is None else order.model_copy(update={"accepted": keys})


def may_load(page: QWidget, expected: ExpectedLoad) -> bool:
    """Asks before a load that a mains circuit might not carry."""
    if expected.power_w <= BIG_LOAD_W:
        return True
    question = tr("Start a load of about {kw:.1f} kW?", kw=expected.power_w / 1000)
    detail = tr(
        "The GPUs alone will draw this much for the whole run. The mains circuit must carry it and the rest of "
        "the machine."
    )
    return messages.ask(page, question, detail, [("start", tr("Start the load"))]) == "start"


def may_stop(page: QWidget, recording: Recording) -> bool:
    """Asks before a long run is stopped."""
    if recording.planned_s <= ASK_ABOVE_S:
        return True
    question = tr(
        "Stop run {number} after {elapsed} of {planned}?",
        number=recording.run.id,
        elapsed=clock(recording.last_s),
        planned=clock(recording.planned_s),
    )
    detail = tr("The loads end within seconds. What was recorded is kept; the run can be resumed.")
    return messages.ask(page, question, detail, [("stop", tr("Stop the run"))], careful=True) == "stop"


def may_end(page: QWidget, recording: Recording) -> bool:
    """Asks before a run whose runner does not answer is ended from outside."""
    question = tr("End run {number} by force?", number=recording.run.id)
    detail = tr(
        "Its runner (process {pid}) has not answered for {seconds:.0f} s and cannot stop by "
        "itself. Its processes are asked to end, and killed if they do not. What was recorded is "
        "kept; the run can then be resumed or closed.",
        pid=recording.run.runner_pid,
        seconds=recording.silent_s or 0.0,
    )
    return messages.ask(page, question, detail, [("end", tr("End the run"))]) == "end"


def choose_simulation(page: QWidget, bar: PlanBar) -> bool:
    """Asks which devices to simulate, perhaps those of the open build, and tells the bar. Whether it was answered."""
    plan = read_plan(bar.plan_text)
    text, chosen = ask_simulation(page, bar.simulation_words, plan)
    if chosen:
        bar.simulation_words = text.strip()
        bar.simulated = with_plan(bar.simulation_words or None, plan)
    return chosen


def show_slots(page: QWidget, bar: PlanBar, data_dir: Path) -> None:
    """Slots and serial numbers of the machine's cards, until that is closed."""
    dialog = SlotsDialog(inspect(bar.present), read_plan(bar.plan_text), data_dir, page)
    dialog.exec()
    dialog.deleteLater()
