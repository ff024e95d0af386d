"""The Predictions page: its sections and the room at the left, the figures of the chosen section beside them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSplitter, QStackedWidget, QWidget

from core.plan.build import Build
from core.plan.edits import Edit
from core.plan.site_edits import SetFanShare
from core.platform.errors import BadInput
from core.words import tr
from gui.parts.catalogue_connection import CatalogueConnection
from gui.planner.document import PlanDocument
from gui.planner.gauges import PRICE_SECTION
from gui.predict.panel import Panel
from gui.predict.room_form import RoomForm
from gui.predict.sections import SectionsModel, SectionsView
from gui.predict.what_if import WhatIf
from gui.widgets.banner import Banner, NoticeBanner
from gui.widgets.form import column_of


class PredictPage(QWidget):
    """Everything that `core.predict` knows of the open build.

    `figure_wanted(part id, field)` asks for the editor of a part at a figure.
    """

    figure_wanted = Signal(str, str)

    def __init__(
        self, document: PlanDocument, connection: CatalogueConnection, data_dir: Path, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.document = document
        self._stale = True
        self.notice = NoticeBanner(self)
        self.warning = Banner(self)
        self.model = SectionsModel(self)
        self.sections = SectionsView(self.model, self)
        self.room = RoomForm(self)
        self.what_if = WhatIf(document, self)
        self._sources = {"connection": connection, "data_dir": data_dir}
        self._panels: dict[str, Panel] = {}
        self._shown = QStackedWidget(self)
        self.split = QSplitter(Qt.Orientation.Horizontal, self)
        self._lay_out()
        self._connect()
        self.show_section("power")

    def showEvent(self, event: QShowEvent) -> None:
        """What changed meanwhile is worked out when it is seen."""
        super().showEvent(event)
        if self._stale:
            self.refresh()

    @property
    def section(self) -> str:
        """The section that is shown."""
        return next(key for key, panel in self._panels.items() if panel is self._shown.currentWidget())

    def panel(self, key: str) -> Panel:
        """A section, made now if need be."""
        if key not in self._panels:
            panel = self._panels[key] = self.model.sections[key].make(self.document, self._shown, self._sources)
            panel.edited.connect(self.edit)
            panel.figure_wanted.connect(self.figure_wanted)
            self._shown.addWidget(panel)
        return self._panels[key]

    @Slot(str)
    def show_section(self, key: str) -> None:
        """Goes to a section; prices stand under energy and cost."""
        self.sections.pick("energy" if key == PRICE_SECTION else key)

    @Slot(object)
    def edit(self, edit: Edit) -> None:
        """Changes the build, or says why that cannot be."""
        try:
            self.document.edit(edit)
        except BadInput as error:
            self.notice.say(str(error))

    def _connect(self) -> None:
        self.document.changed.connect(self._follow)
        self.sections.picked.connect(self._show)
        self.room.room_wanted.connect(self.document.set_conditions)
        self.room.fans_wanted.connect(self._set_fans)
        self.what_if.edited.connect(self.edit)
        self.what_if.room_wanted.connect(self.document.set_conditions)
        self.what_if.opened.connect(self.show_section)
        self.what_if.tried.connect(self.model.show_assessment)

    @Slot()
    def _follow(self) -> None:
        self._stale = True
        if self.isVisible():
            self.refresh()

    def refresh(self) -> None:
        """Shows what is known of the build as it stands."""
        self._stale = False
        build = self.document.build
        self.notice.dismiss()
        self.warning.say(self._warning(build))
        self.room.show_room(self.document.conditions, build.fan_share)
        self.what_if.follow()

    def _warning(self, build: Build) -> str:
        if not (build.calibration and build.calibration.simulated):
            return ""
        return tr(
            "These predictions are calibrated by {source}: a trial, not a measurement of a machine.",
            source=build.calibration.source,
        )

    @Slot(str)
    def _show(self, key: str) -> None:
        self._shown.setCurrentWidget(self.panel(key))

    @Slot(object)
    def _set_fans(self, share: float | None) -> None:
        self.edit(SetFanShare(share))

    def _lay_out(self) -> None:
        form = QScrollArea(self)
        form.setWidget(self.room)
        form.setWidgetResizable(True)
        form.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        form.setFrameShape(QFrame.Shape.NoFrame)
        form.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        form.setMinimumWidth(self.room.minimumSizeHint().width())
        left = QWidget(self)
        column_of(self.sections, (form, 1), into=left, spacing=0)
        self.split.addWidget(left)
        self.split.addWidget(self._shown)
        self.split.setStretchFactor(1, 1)
        self.split.setChildrenCollapsible(False)
        self.split.setSizes([280, 900])
        self.setFocusProxy(self.sections)
        column_of(self.notice, self.warning, self.what_if, (self.split, 1), into=self, spacing=0)
