"""What if: the power limit of all GPUs, the case fans and the room on sliders, and every instrument as they move.

Nothing changes in the build until it is kept.
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QPushButton, QSlider, QWidget

from core.assessment import Assessment
from core.plan.build import Build
from core.predict.conditions import Conditions
from core.predict.curves import limited
from core.words import tr
from gui.planner.dials import Dial, beside_each_other
from gui.planner.document import PlanDocument
from gui.planner.gauges import gauges
from gui.predict.limits import has_known_limit, share_set, what_if_edit
from gui.widgets.actions import without_mnemonic
from gui.widgets.background import pause
from gui.widgets.figures import number
from gui.widgets.form import column_of, row_of
from gui.widgets.text import Label, muted
from gui.widgets.units import unit_here, value_here

PAUSE_MS = 30
"""After a slider moved: one prediction for a whole sweep of steps that come faster."""
USUAL_FANS_PCT = 75


class WhatIfSlider(QWidget):
    """A slider with its name and its figure; `moved()` when it says something else."""

    moved = Signal()

    def __init__(self, title: str, unit: str, span: tuple[int, int], parent: QWidget) -> None:
        super().__init__(parent)
        self._unit, self._start = unit, span[0]
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setRange(*span)
        self.slider.setPageStep(5)
        self.slider.setAccessibleName(without_mnemonic(title))
        label = Label(title, self)
        label.setBuddy(self.slider)
        self._value = Label(self)
        self._fit()
        self._value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row_of(label, (self.slider, 1), self._value, into=self)
        self.slider.valueChanged.connect(self._tell)

    @property
    def figure(self) -> int | None:
        """What it was moved to; None where it stands as it was put."""
        value = self.slider.value()
        return None if value == self._start else value

    def put(self, value: int) -> None:
        """Stands there without having been moved."""
        with QSignalBlocker(self.slider):
            self.slider.setValue(value)
        self._start = self.slider.value()
        self._show()

    def changeEvent(self, event: QEvent) -> None:
        """Larger letters need more room."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_value"):
            self._fit()

    def _fit(self) -> None:
        self._value.setMinimumWidth(self._value.fontMetrics().horizontalAdvance("100 %") + 4)

    @Slot()
    def _tell(self) -> None:
        self._show()
        self.moved.emit()

    def _show(self) -> None:
        self._value.setText(f"{number(value_here(self.slider.value(), self._unit))} {unit_here(self._unit)}")


class WhatIf(QWidget):
    """`edited(edit)` and `room_wanted(Conditions)` once the sliders' figures are kept.

    `tried(Assessment)` tells what holds under them, without findings; `opened(section)` asks for one behind a gauge.
    """

    edited = Signal(object)
    room_wanted = Signal(object)
    tried = Signal(object)
    opened = Signal(str)

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.limit = WhatIfSlider(tr("GPU power li&mit"), "%", (30, 110), self)
        self.fans = WhatIfSlider(tr("Cas&e fans"), "%", (20, 100), self)
        self.room = WhatIfSlider(tr("R&oom"), "°C", (5, 45), self)
        self.keep = QPushButton(tr("&Keep"), self)
        self.keep.setToolTip(tr("Sets limit and fans of this build (undo reverts them), and the room"))
        self.back = QPushButton(tr("&Reset"), self)
        self.back.setToolTip(tr("Resets the sliders to the current settings"))
        self.dials = [Dial(gauge, self) for gauge in gauges(document.assessment)]
        self._hint = muted(self)
        self._pause = pause(self, self.show_now, PAUSE_MS)
        self._lay_out()
        for lever in self._levers:
            lever.moved.connect(self._pause.start)
        for dial in self.dials:
            dial.opened.connect(self.opened)
        self.keep.clicked.connect(self._keep)
        self.back.clicked.connect(self.follow)

    @property
    def _levers(self) -> tuple[WhatIfSlider, ...]:
        return self.limit, self.fans, self.room

    @Slot()
    def follow(self) -> None:
        """Stands at what holds, and shows that."""
        build, conditions = self._document.build, self._document.conditions
        share = share_set(build)
        self.limit.put(round(100 * share) if share else 100)
        self.limit.setEnabled(has_known_limit(build))
        fans = conditions.fan_share or build.fan_share
        self.fans.put(round(100 * fans) if fans else USUAL_FANS_PCT)
        self.room.put(round(conditions.room_c))
        self.show_now()

    @Slot()
    def show_now(self) -> None:
        """Every instrument under the sliders' figures."""
        self._pause.stop()
        moved = any(lever.figure is not None for lever in self._levers)
        for button in (self.keep, self.back):
            button.setEnabled(moved)
        self._hint.setVisible(moved)
        self._hint.setText(tr("What if: the build stays as it is until you keep this."))
        build, conditions = (self._build(), self._conditions()) if moved else (self._document.build, None)
        assessment = self._document.assessment
        if conditions is not None:
            assessment = Assessment(build, conditions, assessment.guide)
        for dial, gauge in zip(self.dials, gauges(assessment), strict=True):
            dial.show_gauge(gauge)
        self.tried.emit(assessment)

    def _build(self) -> Build:
        build, percent, fans = self._document.build, self.limit.figure, self.fans.figure
        if percent is not None:
            build = limited(build, percent / 100)
        return build if fans is None else replace(build, fan_share=fans / 100)

    def _conditions(self) -> Conditions:
        conditions, room_c = self._document.conditions, self.room.figure
        conditions = conditions if room_c is None else replace(conditions, room_c=float(room_c))
        return conditions if self.fans.figure is None else replace(conditions, fan_share=None)

    @Slot()
    def _keep(self) -> None:
        conditions, edit = self._conditions(), what_if_edit(self._document.build, self._build())
        if edit is not None:
            self.edited.emit(edit)
        if conditions != self._document.conditions:
            self.room_wanted.emit(conditions)

    def _lay_out(self) -> None:
        levers = row_of(*((lever, 1) for lever in self._levers), self.keep, self.back, spacing=16)
        dials = beside_each_other(self.dials)
        column_of(levers, self._hint, dials, into=self, margins=8, spacing=6)
