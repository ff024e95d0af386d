"""Looks beside the window for the fixes of the finding that is looked at."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from core.errors import RigwrightError
from core.rules.finding import Finding, Status
from gui.catalogue_connection import CatalogueConnection
from gui.planner.document import PlanDocument

if TYPE_CHECKING:
    from core.advise.fix import Fix
    from core.build.build import Build
    from core.parts.catalogue import Catalogue
    from core.predict.conditions import Conditions

PAUSE_MS = 100
Key = tuple[object, ...]
FIXABLE = (Status.FAIL, Status.WARN)


class Fixing(QObject):
    """`found(finding, fixes)` for the finding that was asked last; known ones at once, until the build changes."""

    found = Signal(object, object)
    failed = Signal(object, object)
    """The finding, and why its fixes are not known."""

    def __init__(self, document: PlanDocument, connection: CatalogueConnection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._connection = connection
        self._known: dict[Key, tuple[Fix, ...]] = {}
        self._wanted: Finding | None = None
        self._asked: tuple[Build, Finding] | None = None
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self._start)
        document.changed.connect(self._forget)
        connection.changed.connect(self._forget)

    @property
    def busy(self) -> bool:
        """Whether an answer is still to come."""
        return self._wanted is not None

    def look_for(self, finding: Finding | None) -> bool:
        """Whether fixes of it will be told; None and findings without trouble have none."""
        self._wanted = None
        self._pause.stop()
        if finding is None or not finding.checked or finding.status not in FIXABLE:
            return False
        self._wanted = finding
        if _key(finding) in self._known:
            self._tell(finding, self._known[_key(finding)])
        else:
            self._pause.start()
        return True

    @Slot()
    def _forget(self) -> None:
        self._known.clear()

    @Slot()
    def _start(self) -> None:
        if self._wanted is None or self._asked is not None:
            return
        build, finding = self._asked = self._document.build, self._wanted
        work = partial(_fixes, build, finding, self._document.conditions)
        self._connection.adviser.ask(self, work, self._take, self._fail)

    def _take(self, fixes: tuple[Fix, ...]) -> None:
        assert self._asked is not None
        build, finding = self._asked
        self._asked = None
        if build is self._document.build:
            self._known[_key(finding)] = fixes
        if finding == self._wanted and _key(finding) in self._known:
            self._tell(finding, fixes)
        else:
            self._start()

    def _tell(self, finding: Finding, fixes: tuple[Fix, ...]) -> None:
        self._wanted = None
        self.found.emit(finding, fixes)

    def _fail(self, error: Exception) -> None:
        assert self._asked is not None
        _, finding = self._asked
        self._asked = None
        if not isinstance(error, RigwrightError):
            raise error
        if finding == self._wanted:
            self._wanted = None
            self.failed.emit(finding, str(error))


def _fixes(build: Build, finding: Finding, conditions: Conditions, catalogue: Catalogue) -> tuple[Fix, ...]:
    from core.advise.fixes import fixes
    from core.parts.known_prices import advice_guide

    return fixes(build, finding, catalogue, conditions=conditions, guide=advice_guide(catalogue))


def _key(finding: Finding) -> Key:
    return finding.rule, finding.status, finding.parts, finding.slots, finding.message
