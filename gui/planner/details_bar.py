"""Name and mains circuit of the build, above the board."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QLineEdit, QWidget

from core.build.edits import SetDetails
from core.build.mains import CIRCUITS
from gui.planner.document import PlanDocument
from gui.planner.figures import number


class DetailsBar(QWidget):
    """Edits are made when the field is left or Enter is pressed, so that undo takes back whole changes."""

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._seen = ""
        self.name = QLineEdit(self)
        self.name.setMaxLength(200)
        self.name.setAccessibleName(self.tr("Name of the build"))
        self.name.setPlaceholderText(self.tr("Name of the build"))
        self.name.editingFinished.connect(self.commit)
        self.region = QComboBox(self)
        self.region.setAccessibleName(self.tr("Mains circuit"))
        self.region.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.region.setMinimumContentsLength(14)
        for circuit in CIRCUITS:
            self.region.addItem(circuit.title, circuit.id)
        self.region.activated.connect(self._move)
        caption = QLabel(self.tr("&Circuit"), self)
        caption.setBuddy(self.region)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 8, 8, 8)
        row.setSpacing(8)
        row.addWidget(self.name, 1)
        row.addWidget(caption)
        row.addWidget(self.region)
        document.changed.connect(self._follow)
        self._follow()

    @Slot()
    def _follow(self) -> None:
        build = self._document.build
        if build.name != self._seen:  # another change must not take away what is being typed
            self._seen = build.name
            self.name.setText(build.name)
            self.name.setCursorPosition(0)
        self.region.setCurrentIndex(self.region.findData(build.region))
        circuit = build.circuit
        self.region.setToolTip(
            self.tr("{watts} W may be drawn for hours. {source}.").format(
                watts=number(circuit.continuous_w), source=circuit.source
            )
        )

    @Slot()
    def commit(self) -> None:
        """Makes the typed name part of the build; an empty one goes back to the old."""
        name = self.name.text().strip()
        if name and name != self._document.build.name:
            self._document.edit(SetDetails(name=name))
        elif self.name.text() != self._document.build.name:
            self.name.setText(self._document.build.name)

    @Slot(int)
    def _move(self, row: int) -> None:
        self._document.edit(SetDetails(region=self.region.itemData(row)))
