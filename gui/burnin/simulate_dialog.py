"""Asks which devices to simulate and which faults they shall have, and says at once what cannot be simulated."""

from __future__ import annotations

import re

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLineEdit, QVBoxLayout, QWidget

from core.build.build import Build
from core.burnin.simulated_plan import with_plan
from core.errors import BadInput
from core.language import tr
from core.telemetry.device import Device
from core.telemetry.simulated.simulation import FAULT_KINDS, RecordedReplay, absolute_simulation, parse_simulation
from gui.theme import theme
from gui.widgets.text import Label, Markup, escaped

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
        self.said = Label(self)
        self.said.setWordWrap(True)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel, self
        )
        self._arrange()
        self.text.textChanged.connect(self._review)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self._review()

    @Slot()
    def _review(self) -> None:
        good, said = _meaning(self.text.text().strip(), self._plan)
        self.said.setText(said)
        self.said.setStyleSheet(f"color: {theme().color('muted' if good else 'fail').name()}")
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(good)

    def _arrange(self) -> None:
        intro = Label(
            tr(
                "Cards, then faults: 4x3090,fault=ecc@2:30s is four cards of which card 2 has a memory "
                "error after 30 s. plan means the cards of the open build: plan,fault=fan@0. room=35 "
                "sets the room temperature, replay:FILE plays a recording. Leave it empty for the "
                "devices of this machine. Everything simulated is marked SIMULATED."
            ),
            self,
        )
        intro.setWordWrap(True)
        rows = "".join(
            f"<tr><td><b>{kind.word}</b>&nbsp;</td><td>{escaped(kind.meaning)}</td></tr>" for kind in FAULT_KINDS
        )
        layout = QVBoxLayout(self)
        faults = Markup(self)
        faults.setText(f"<table>{rows}</table>")
        for part in (intro, self.text, self.said, faults, self.buttons):
            layout.addWidget(part)
        self.setMinimumWidth(640)


def ask_simulation(parent: QWidget, text: str, plan: Build | None = None) -> tuple[str, bool]:
    """The text, as another working directory understands it too, and whether it was given."""
    dialog = SimulateDialog(text, parent, plan)
    given = dialog.exec() == QDialog.DialogCode.Accepted
    answer = dialog.text.text().strip()
    dialog.deleteLater()
    return (absolute_simulation(answer) or "" if given else answer), given


def simulation_of(devices: list[Device]) -> str | None:
    """The wish that brings the same simulated devices again ("rtx-3090,rtx-4090,fault=slow20@1").

    None for real ones, and for those of a recording that is played back. Give all devices of a run: ids have places.
    """
    found = [_SIMULATED.fullmatch(device.id) for device in devices if device.simulated]
    cards = [match for match in found if match]
    if len(cards) != len(found):
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
