"""What is asked before a run and before its end: the machine as planned, simulated devices, the load, the stop."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QTableView,
    QWidget,
)

from core.burnin.planned import read_plan
from core.burnin.run.order import BurnOrder
from core.burnin.run.run_setup import arrival_of
from core.burnin.simulated_plan import with_plan
from core.machine.asbuilt.as_built import AsBuilt, AsBuiltLine, LineState
from core.machine.asbuilt.inspection import inspect
from core.machine.telemetry.device import Device
from core.machine.telemetry.simulated.simulation import (
    FAULT_KINDS,
    RecordedReplay,
    absolute_simulation,
    parse_simulation,
)
from core.plan.build import Build
from core.platform.errors import BadInput
from core.words import joined, tr, trn
from gui.burnin.devices.slots_dialog import SlotsDialog
from gui.burnin.recording import Recording
from gui.burnin.run.plan_bar import ExpectedLoad, PlanBar
from gui.burnin.words import clock
from gui.widgets import messages
from gui.widgets.form import column_of, dialog_buttons
from gui.widgets.table import TableColumn, TableModel
from gui.widgets.text import Markup, bold, escaped, paragraph
from gui.widgets.theme import theme
from gui.widgets.views import small_table

MOST_ROWS_SHOWN = 14


class AsBuiltDialog(QDialog):
    """The comparison, with the lines that differ first; Cancel is the default."""

    def __init__(
        self, as_built: AsBuilt, parent: QWidget | None = None, move_cards: Callable[[], AsBuilt] | None = None
    ) -> None:
        """`move_cards` lets the user say which card sits in which slot, and compares again."""
        super().__init__(parent)
        self._move_cards = move_cards
        self.setWindowTitle(tr("The machine is not as planned"))
        self.as_built = as_built
        self.lines: list[AsBuiltLine] = []
        self.intro = paragraph(self)
        self.table = QTableView(self)
        self.table.setAccessibleName(tr("The machine compared with its plan"))
        self._model = TableModel(_comparison_columns(), lambda line: (line.subject, line.what, line.planned), self)
        self.buttons = dialog_buttons(self, QDialogButtonBox.StandardButton.Cancel)
        self.start = self.buttons.addButton(tr("Start anyway"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.slots = QPushButton(tr("Slots and serial numbers…"), self)
        self.slots.setToolTip(tr("Drag each card to the slot that it sits in"))
        self.slots.setVisible(move_cards is not None)
        self.buttons.addButton(self.slots, QDialogButtonBox.ButtonRole.ActionRole)
        self._arrange()
        self._show(as_built)
        self.slots.clicked.connect(self._say_slots)

    @Slot()
    def _say_slots(self) -> None:
        if self._move_cards is not None:
            self._show(self._move_cards())

    def _show(self, as_built: AsBuilt) -> None:
        self.as_built = as_built
        self.lines = sorted(as_built.lines, key=lambda line: (not line.blocks, line.state is LineState.AS_PLANNED))
        self.intro.setText(self._words(as_built))
        self._model.show_rows(self.lines)
        self.start.setText(tr("Start anyway") if as_built.blocking else tr("Start"))
        row_px = self.table.verticalHeader().defaultSectionSize()
        rows = min(len(self.lines), MOST_ROWS_SHOWN)
        self.table.setMinimumHeight((rows + 1) * row_px + 2 * self.table.frameWidth())

    def _words(self, as_built: AsBuilt) -> str:
        count = len(as_built.blocking)
        if not count:
            return tr("Every planned card is there.")
        missing = trn(
            "1 planned card is missing or not the right one.",
            "{count} planned cards are missing or not the right ones.",
            count=count,
        )
        advice = tr(
            "Check power, seating and risers, then detect again. If you start anyway, the "
            "recording says that you accepted this, and the verdict warns."
        )
        return joined([missing, advice])

    def _arrange(self) -> None:
        small_table(self.table)
        self.table.setModel(self._model)
        self.table.setSelectionMode(QTableView.SelectionMode.NoSelection)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.table.horizontalHeader().setSectionResizeMode(3, QHeaderView.ResizeMode.Stretch)
        cancel = self.buttons.button(QDialogButtonBox.StandardButton.Cancel)
        cancel.setDefault(True)
        cancel.setFocus(Qt.FocusReason.OtherFocusReason)
        column_of(self.intro, self.table, self.buttons, into=self, margins=None)
        self.setMinimumWidth(760)


def accepted_lines(
    parent: QWidget, as_built: AsBuilt, move_cards: Callable[[], AsBuilt] | None = None
) -> tuple[str, ...] | None:
    """Keys of the lines that the user accepts, or None to start no run."""
    dialog = AsBuiltDialog(as_built, parent, move_cards)
    accepted = dialog.exec() == QDialog.DialogCode.Accepted
    dialog.deleteLater()
    return tuple(line.key for line in dialog.as_built.blocking) if accepted else None


def _comparison_columns() -> list[TableColumn[AsBuiltLine]]:
    return [
        TableColumn(tr("Part"), lambda line: line.subject.label),
        TableColumn(tr("Where"), lambda line: line.what),
        TableColumn(tr("Planned"), lambda line: line.planned or "–"),
        TableColumn(tr("Found"), lambda line: line.found or "–"),
        TableColumn(tr("State"), lambda line: line.state.label, tip=lambda line: line.why, font=_emphasis),
    ]


def _emphasis(line: AsBuiltLine) -> QFont | None:
    return bold() if line.blocks else None


_SIMULATED = re.compile(r"SIM-\d+-(?P<model>.+?)(?:-slow(?P<slow>\d+))?")
"""Ids of simulated cards, which name their model and what makes them slow."""


class SimulateDialog(QDialog):
    """A line of text, what it comes to, and the faults that can be written into it."""

    def __init__(self, text: str, parent: QWidget | None = None, plan: Build | None = None) -> None:
        super().__init__(parent)
        self._plan = plan
        self.setWindowTitle(tr("Simulate devices"))
        self.text = QLineEdit(text, self)
        self.text.setAccessibleName(tr("Devices and faults"))
        self.text.setPlaceholderText("4x3090,fault=ecc@2:30s")
        self.message = paragraph(self)
        self.buttons = dialog_buttons(self, QDialogButtonBox.StandardButton.Ok, QDialogButtonBox.StandardButton.Cancel)
        self._arrange()
        self.text.textChanged.connect(self._review)
        self._review()

    @Slot()
    def _review(self) -> None:
        good, words = _meaning(self.text.text().strip(), self._plan)
        self.message.setText(words)
        self.message.setStyleSheet(f"color: {theme().color('muted' if good else 'fail').name()}")
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(good)

    def _arrange(self) -> None:
        words = tr(
            "Cards, then faults: 4x3090,fault=ecc@2:30s is four cards of which card 2 has a memory "
            "error after 30 s. plan means the cards of the open build: plan,fault=fan@0. room=35 "
            "sets the room temperature, replay:FILE plays a recording. Leave it empty for the "
            "devices of this machine. Everything simulated is marked SIMULATED."
        )
        rows = "".join(
            f"<tr><td><b>{kind.word}</b>&nbsp;</td><td>{escaped(kind.meaning)}</td></tr>" for kind in FAULT_KINDS
        )
        faults = Markup(self)
        faults.setText(f"<table>{rows}</table>")
        column_of(paragraph(self, words), self.text, self.message, faults, self.buttons, into=self, margins=None)
        self.setMinimumWidth(640)


def ask_simulation(parent: QWidget, text: str, plan: Build | None = None) -> tuple[str, bool]:
    """The text, as another working directory understands it too, and whether it was given."""
    dialog = SimulateDialog(text, parent, plan)
    accepted = dialog.exec() == QDialog.DialogCode.Accepted
    answer = dialog.text.text().strip()
    dialog.deleteLater()
    return (absolute_simulation(answer) or "" if accepted else answer), accepted


def simulation_of(devices: list[Device]) -> str | None:
    """The wish that brings the same simulated devices again ("rtx-3090,rtx-4090,fault=slow20@1").

    None for real ones, and for those of a recording that is played back. Give all devices of a run: ids have places.
    """
    matches = [_SIMULATED.fullmatch(device.id) for device in devices if device.simulated]
    cards = [match for match in matches if match]
    if len(cards) != len(matches):
        return None
    slow = [f"fault=slow{match['slow']}@{place}" for place, match in enumerate(cards) if match["slow"]]
    return ",".join([*(match["model"] for match in cards), *slow]) or None


def _meaning(text: str, plan: Build | None) -> tuple[bool, str]:
    """Whether it can be simulated, and what it comes to or why not."""
    if not text:
        return True, tr("The devices of this machine.")
    try:
        order = parse_simulation(with_plan(text, plan) or "")
    except BadInput as problem:
        return False, str(problem)
    if isinstance(order, RecordedReplay):
        return True, tr("SIMULATED: a recording is played.")
    return True, tr("SIMULATED. Cards: {cards}. Faults: {faults}.", cards=len(order.models), faults=len(order.faults))


ASK_ABOVE_S = 600.0
"""A run that is planned to last longer is stopped only after a question."""
BIG_LOAD_W = 1000.0
"""Above this a load is started only after a question: a shared mains circuit may trip."""


def accepted_order(page: QWidget, order: BurnOrder, bar: PlanBar, data_dir: Path) -> BurnOrder | None:
    """The order with what the user accepts of a machine that is not as planned; None where there shall be no run."""
    as_built = arrival_of(order, bar.present, data_dir)
    if as_built.simulated or not as_built.blocking:
        return order

    def move_cards() -> AsBuilt:
        show_slots(QApplication.activeModalWidget() or page, bar, data_dir)
        return arrival_of(order, bar.present, data_dir)

    keys = accepted_lines(page, as_built, move_cards)
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
