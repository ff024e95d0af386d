"""What a search of the catalogue found, as a list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QMimeData, QModelIndex, QObject, Qt, Slot

from core.advise.fit_verdict import FitReason, FitVerdict
from core.parts.part import Evidence, Origin, Part
from core.parts.price_today import full_words
from core.parts.query import BY_TITLE
from core.parts.support import evidence_of
from core.parts.vocabulary import Category
from core.platform.errors import RigwrightError
from core.rules.registry import RULES
from core.words import joined, tr
from gui.planner.parts.evidence import origin_words, unconfirmed_words
from gui.planner.parts.figure_names import figure_name, with_unit
from gui.widgets.figures import UNKNOWN
from gui.widgets.table import Index, Role
from gui.widgets.text import tip
from gui.widgets.units import local

if TYPE_CHECKING:
    from core.parts.query import Hit

HIT_ROLE = Role.UserRole
VERDICT_ROLE = Role.UserRole + 1
SUPPORT_ROLE = Role.UserRole + 2
PRICE_ROLE = Role.UserRole + 4
LINE_ROLE = Role.UserRole + 3
MOST_REASONS = 3
"""Reasons that a tooltip tells."""
PART_MIME = "application/x-rigwright-part"
MAX_DRAGGED_BYTES = 2000
"""Of what is dragged in; ids are far shorter."""


@dataclass(frozen=True, slots=True)
class RowEvidence:
    """What a row tells beside its hit."""

    unconfirmed: str = ""
    """Names the unconfirmed figures of the short line; empty if there are none."""
    figure: str = ""
    """The figure that the list is sorted by, with its unit; empty where the row shows it anyway."""
    evidence: Evidence = Evidence.CONFIRMED
    """How well that figure is supported."""


class PartsModel(QAbstractListModel):
    """Hits in the order of the catalogue. `find_part` is asked only for rows that are looked at."""

    def __init__(self, parent: QObject | None = None, *, find_part: Callable[[str], Part | None] | None = None) -> None:
        super().__init__(parent)
        self._find_part = find_part
        self._hits: list[Hit] = []
        self._sort = ""
        self._verdict: Callable[[Category, str], FitVerdict | None] = lambda *_: None
        self._is_inside: Callable[[str], bool] = lambda _: False
        self._support: dict[str, RowEvidence] = {}

    def show_hits(self, hits: list[Hit], *, sort: str = "") -> None:
        """Replaces the list; `sort` is the figure that it is sorted by."""
        self.beginResetModel()
        self._hits = hits
        self._sort = "" if sort == BY_TITLE else sort
        self._support = {}
        self.endResetModel()

    def judge_by(self, verdict: Callable[[Category, str], FitVerdict | None]) -> None:
        """`verdict(category, part id)` says whether a part fits into the build; None as long as nobody knows."""
        self._verdict = verdict

    def mark_by(self, is_inside: Callable[[str], bool]) -> None:
        """`is_inside(part id)` says whether the build has a part."""
        self._is_inside = is_inside

    def short_line(self, hit: Hit) -> str:
        """The figures of a part, behind a mark where the build has it."""
        inside = tr("in your build") if self._is_inside(hit.id) else ""
        return joined(filter(None, (inside, local(hit.summary))), " · ")

    @Slot()
    def show_verdicts(self) -> None:
        """More is known about what fits."""
        if self._hits:
            self.dataChanged.emit(self.index(0), self.index(len(self._hits) - 1))

    def fits(self, row: int) -> bool:
        """Whether nothing is known that speaks against the part."""
        verdict = self._of(self._hits[row])
        return verdict is None or verdict.state.fits

    def ids(self) -> list[str]:
        """All part ids, in order."""
        return [hit.id for hit in self._hits]

    def hit(self, row: int) -> Hit:
        """The hit of a row."""
        return self._hits[row]

    def has_imported(self) -> bool:
        """Whether rows of the public data set are listed, which is to be named then."""
        return any(hit.origin is Origin.IMPORTED for hit in self._hits)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._hits)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        hit = self._hits[index.row()]
        match role:
            case Role.DisplayRole:
                return hit.title
            case Role.ToolTipRole:
                return tip(joined(filter(None, (hit.title, *self._details(hit))), "\n"))
            case Role.AccessibleTextRole:
                return local(joined(filter(None, (hit.title, hit.category.label, *self._details(hit))), ", "))
            case _ if role == HIT_ROLE:
                return hit
            case _ if role == VERDICT_ROLE:
                return self._of(hit)
            case _ if role == PRICE_ROLE:
                return hit.price_words(date.today())  # with its age, in the currency of the list
            case _ if role == SUPPORT_ROLE:
                return self.support(hit)
            case _ if role == LINE_ROLE:
                return self.short_line(hit)
        return None

    def support(self, hit: Hit) -> RowEvidence:
        """Evidence of what the row shows; worked out when it is first looked at."""
        if hit.id not in self._support:
            self._support[hit.id] = self._supported(hit)
        return self._support[hit.id]

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsDragEnabled if index.isValid() else flags

    def mimeTypes(self) -> list[str]:
        return [PART_MIME]

    def mimeData(self, indexes: Any) -> QMimeData:
        """The id of the first part, and its title for other programs."""
        data = QMimeData()
        hit = self._hits[indexes[0].row()]
        data.setData(PART_MIME, hit.id.encode())
        data.setText(hit.title)
        return data

    def _details(self, hit: Hit) -> tuple[str, ...]:
        """All that a row knows, in words."""
        support = self.support(hit)
        figure = f"{figure_name(self._sort)}: {support.figure}" if support.figure else ""
        if figure and support.evidence is Evidence.UNCONFIRMED:
            figure = f"{figure} ({support.evidence.label})"
        price, origin = full_words(hit.price) if hit.price else "", origin_words(hit.origin)
        return self._fit_words(hit), self.short_line(hit), figure, price, origin, support.unconfirmed

    def _of(self, hit: Hit) -> FitVerdict | None:
        return self._verdict(hit.category, hit.id)

    def _fit_words(self, hit: Hit) -> str:
        """Whether it fits, the figures that decide, and what check would say of each thing that counts."""
        verdict = self._of(hit)
        if verdict is None:
            return ""
        decides = joined(filter(None, (verdict.state.label, figures_of(verdict, hit.category))), ", ")
        sentences = (_of_part(reason, hit.title) for reason in verdict.reasons[:MOST_REASONS])
        left = len(verdict.reasons) - MOST_REASONS
        more = (tr("And {count} more.", count=left),) if left > 0 else ()
        return "\n".join((f"{decides[:1].upper()}{decides[1:]}", *sentences, *more))

    def _supported(self, hit: Hit) -> RowEvidence:
        part = self._part(hit)
        unconfirmed = unconfirmed_words(part) if part else ""
        if not self._sort or self._sort == "price":
            return RowEvidence(unconfirmed)
        if hit.figure is None:
            return RowEvidence(unconfirmed, UNKNOWN, Evidence.UNKNOWN)
        currency = hit.shown.currency if hit.shown else ""
        evidence = evidence_of(part, self._sort) if part else Evidence.UNCONFIRMED
        return RowEvidence(unconfirmed, with_unit(self._sort, hit.figure, currency), evidence)

    def _part(self, hit: Hit) -> Part | None:
        try:
            return self._find_part(hit.id) if self._find_part else None
        except RigwrightError:
            return None


def dragged_text(data: QMimeData, kind: str) -> str | None:
    """What is dragged; None without this kind. Any program may have offered it: too long or no UTF-8 is None, too."""
    content = bytes(data.data(kind).data()) if data.hasFormat(kind) else b""
    if not 0 < len(content) <= MAX_DRAGGED_BYTES:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def figures_of(verdict: FitVerdict, category: Category) -> str:
    """The figures that decide; empty if there are none."""
    return local(verdict.reason.figures(category)) if verdict.reason else ""


def reason_words(verdict: FitVerdict, title: str, category: Category) -> str:
    """What decides in few words, the question and its figures: "Card height: 175 > 165 mm"; empty if nothing does."""
    reason = verdict.reason
    if reason is None:
        return ""
    question, figures = _question(reason.rule), figures_of(verdict, category)
    if not question:
        return _of_part(reason, title)
    return tr("{question}: {figures}", question=question, figures=figures) if figures else question


@cache
def _question(rule_id: str) -> str:
    """The title of a rule; empty where none was asked."""
    return next((rule.title for rule in RULES if rule.id == rule_id), "")


def _of_part(reason: FitReason, title: str) -> str:
    return replace(reason, message=local(reason.message)).sentence(title)
