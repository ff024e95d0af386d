"""What the check does not vouch for: the unknown figures that would settle it, and the parts still to be chosen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Slot

from core.parts.field_words import field_words
from core.rules.engine import not_checked
from core.rules.finding import Finding
from core.rules.registry import RULES
from gui.planner.document import PlanDocument
from gui.planner.findings.finding_list import FIGURES_ROLE, HEAD_ROLE, TONE_ROLE
from gui.widgets.text import tip

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole


@dataclass(frozen=True, slots=True)
class Gap:
    """One row. `part_id` and `field` name the figure that is missing; empty where a part is still to be chosen."""

    head: str
    message: str
    part_id: str = ""
    field: str = ""
    settles: int = 0


class UncheckedModel(QAbstractListModel):
    """Reads the document's assessment: figures first, those that settle the most rules at the top."""

    def __init__(self, document: PlanDocument, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._gaps: tuple[Gap, ...] = ()
        document.changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Follows the document."""
        gaps = tuple(self._found()) if self._document.build.lines else ()
        if gaps == self._gaps:
            return
        self.beginResetModel()
        self._gaps = gaps
        self.endResetModel()

    def gap(self, row: int) -> Gap:
        """What stands in a row."""
        return self._gaps[row]

    def row_of(self, gap: Gap) -> int | None:
        """Where the same figure stands now."""
        same = (gap.part_id, gap.field, "" if gap.field else gap.message)
        keys = [(other.part_id, other.field, "" if other.field else other.message) for other in self._gaps]
        return keys.index(same) if same in keys else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._gaps)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        gap = self._gaps[index.row()]
        match role:
            case Role.DisplayRole:
                return gap.message
            case Role.AccessibleTextRole:
                return f"{gap.head}: {gap.message}"
            case Role.ToolTipRole:
                return tip(f"{gap.head}\n{gap.message}")
            case _ if role == HEAD_ROLE:
                return gap.head
            case _ if role == TONE_ROLE:
                return "unknown" if gap.field else "muted"
            case _ if role == FIGURES_ROLE:
                return ""
        return None

    def _found(self) -> Iterator[Gap]:
        """Figures that rules wait for, then parts that are still to be chosen."""
        findings = not_checked(self._document.assessment.findings)
        wanting: dict[str, dict[str, None]] = {}
        for finding in findings:
            for figure in finding.missing:
                wanting.setdefault(figure, {}).update(dict.fromkeys(_title(rule) for rule in finding.waiting))
        yield from sorted((self._figure(figure, list(rules)) for figure, rules in wanting.items()), key=_weight)
        for finding in findings:
            if not finding.missing:
                yield self._question(finding)

    def _figure(self, figure: str, rules: list[str]) -> Gap:
        part_id, _, field = figure.rpartition(".")
        line = self._document.build.line(part_id)
        title = line.part.title if line else part_id
        head = self.tr("{part}: {figure}").format(part=title, figure=field_words(field))
        use = self.tr("Would settle: {rules}").format(rules=", ".join(rules))
        return Gap(head, use, part_id, field, len(rules))

    def _question(self, finding: Finding) -> Gap:
        """Parts that are still to be chosen, and what that would settle."""
        rules = ", ".join(_title(rule) for rule in finding.waiting)
        return Gap(finding.message, self.tr("Would settle: {rules}").format(rules=rules))


def _weight(gap: Gap) -> tuple[int, str]:
    return -gap.settles, gap.head


@cache
def _title(rule_id: str) -> str:
    return next((rule.title for rule in RULES if rule.id == rule_id), rule_id)
