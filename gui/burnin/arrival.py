"""What the burn-in page asks about the machine before a run: whether it is the planned one, and where its cards sit."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QWidget

from core.asbuilt.inspection import inspect
from core.burnin.planned import read_plan
from core.burnin.run.arrival import arrival_of
from core.burnin.run.order import BurnOrder
from core.burnin.simulated_plan import with_plan
from gui.burnin.as_built_dialog import accepted_lines
from gui.burnin.plan_bar import ExpectedLoad, PlanBar
from gui.burnin.simulate_dialog import ask_simulation
from gui.burnin.slots_dialog import SlotsDialog
from gui.widgets import messages

BIG_LOAD_W = 1000.0
"""Above this a load is started only after a question: a shared mains circuit may trip."""


def accepted_order(page: QWidget, order: BurnOrder, bar: PlanBar, data_dir: Path) -> BurnOrder | None:
    """The order with what the user accepts of a machine that is not as planned; None where there shall be no run."""
    found = arrival_of(order, bar.present, data_dir)
    if found.simulated or not found.blocking:
        return order
    keys = accepted_lines(page, found)
    return None if keys is None else order.model_copy(update={"accepted": keys})


def may_load(page: QWidget, expected: ExpectedLoad) -> bool:
    """Asks before a load that a mains circuit might not carry."""
    if expected.power_w <= BIG_LOAD_W:
        return True
    question = page.tr("Start a load of about {kw:.1f} kW?").format(kw=expected.power_w / 1000)
    detail = page.tr(
        "The GPUs alone will draw this much for the whole run. The mains circuit must carry it and the rest of "
        "the machine."
    )
    return messages.ask(page, question, detail, [("start", page.tr("Start the load"))]) == "start"


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
