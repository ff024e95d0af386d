"""The dialog of the budget: what all parts of the build may cost together."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLineEdit, QVBoxLayout, QWidget

from core.assessment import Assessment
from core.build.price_edits import SetBudget, typed_budget
from core.errors import BadInput
from core.language import joined, tr
from core.parts.amount import written
from gui.parts.fields import problem_label, tell_at
from gui.widgets.text import muted


class BudgetDialog(QDialog):
    """`chosen(edit)` carries the change, for one step of undo."""

    chosen = Signal(object)

    def __init__(self, known: Assessment, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        budget = known.build.budget
        self._currency = known.guide.terms.common
        self.setWindowTitle(tr("Budget"))
        self.amount = QLineEdit(self)
        self.amount.setPlaceholderText(tr("none, or such as {example}", example=f"10000 {self._currency}"))
        self.amount.setText(f"{written(budget.amount)} {budget.currency}" if budget else "")
        self.amount.setMinimumWidth(240)
        self.problem = problem_label(self)
        about = muted(self)
        about.setText(
            joined(
                (
                    tr("The parts cost {price} now.", price=known.price.words),
                    tr("The price gauge warns where estimates may exceed the budget, and fails where the total does."),
                )
            )
        )
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel, self
        )
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        form = QFormLayout()
        form.addRow(tr("All &parts may cost"), self.amount)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        column.addLayout(form)
        column.addWidget(self.problem)
        column.addWidget(about)
        column.addWidget(self.buttons)

    def accept(self) -> None:
        """Says what was chosen, or what is wrong with it."""
        try:
            budget = typed_budget(self.amount.text(), self._currency)
        except BadInput as error:
            tell_at(self.problem, str(error))
            return
        self.chosen.emit(SetBudget(budget))
        super().accept()
