"""The room, who listens, and how fast the fans turn: what the predictions need beside the parts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import QComboBox, QFormLayout, QGroupBox, QPushButton, QWidget

from core.plan.build import SLOWEST_FANS
from core.predict.conditions import DEAREST_KWH, Conditions, LoadCase
from core.words import tr
from gui.predict.figure_box import FieldRange, FigureBox, OptionalFigureBox
from gui.widgets.background import pause
from gui.widgets.form import column_of
from gui.widgets.text import muted, tip

PAUSE_MS = 250
"""After the last change of a field: whoever turns a wheel through ten figures asks one question."""
USUAL = Conditions()
USUAL_VOLUME_M3, USUAL_TARIFF, USUAL_FANS_PCT = 40.0, 0.30, 50.0


@dataclass(frozen=True, slots=True)
class _Shown:
    """What the fields say."""

    conditions: Conditions
    fan_share: float | None


class RoomForm(QWidget):
    """`room_wanted(Conditions)` and `fans_wanted(share or None)` a moment after the last change of a field."""

    room_wanted = Signal(object)
    fans_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._last = _Shown(USUAL, None)
        self._pause = pause(self, self.commit, PAUSE_MS)
        self._make_fields()
        self.usual = QPushButton(tr("Defa&ults"), self)
        words = tr(
            "Restores the default room: {room:.0f} °C, at sea level, {distance:g} m away, {background:g} dBA",
            room=USUAL.room_c,
            distance=USUAL.distance_m,
            background=USUAL.background_dba,
        )
        self.usual.setToolTip(tip(words))
        self._lay_out()
        for field in self._fields.values():
            field.changed.connect(self._pause.start)
        self.fans.changed.connect(self._pause.start)
        self.load.currentIndexChanged.connect(self._pause.start)
        self.usual.clicked.connect(self._restore)
        self.volume.switched.connect(self.reverberation.setEnabled)
        self.show_room(USUAL, None)

    def show_room(self, conditions: Conditions, fan_share: float | None) -> None:
        """Shows what holds; what is being typed stays."""
        self._last = _Shown(conditions, fan_share)
        if self._pause.isActive():
            return
        for name, field in self._fields.items():
            with QSignalBlocker(field):
                field.show_figure(getattr(conditions, name))
        with QSignalBlocker(self.load):
            self.load.setCurrentIndex(list(LoadCase).index(conditions.load))
        with QSignalBlocker(self.fans):
            self.fans.show_figure(None if fan_share is None else 100 * fan_share)
        self.reverberation.setEnabled(conditions.room_volume_m3 is not None)

    @Slot()
    def commit(self) -> None:
        """Asks for what the fields say, where that differs."""
        self._pause.stop()
        values: dict[str, Any] = {name: field.figure for name, field in self._fields.items()}
        values["load"] = LoadCase(self.load.currentData())
        conditions = replace(self._last.conditions, **values)
        percent = self.fans.figure
        share = None if percent is None else percent / 100
        before, self._last = self._last, _Shown(conditions, share)
        if conditions != before.conditions:
            self.room_wanted.emit(conditions)
        if share != before.fan_share:
            self.fans_wanted.emit(share)

    @Slot()
    def _restore(self) -> None:
        self._pause.stop()
        self.show_room(USUAL, self._last.fan_share)
        self.room_wanted.emit(USUAL)

    def _make_fields(self) -> None:
        self.room = FigureBox(tr("Room temperature"), FieldRange(-10, 50, "°C"), self)
        self.altitude = FigureBox(tr("Altitude"), FieldRange(-500, 6000, "m", step=100, decimals=0), self)
        self.distance = FigureBox(tr("Distance to the ear"), FieldRange(0.1, 20, "m", step=0.1, decimals=2), self)
        self.background = FigureBox(tr("Background"), FieldRange(0, 90, "dBA"), self)
        volumes = FieldRange(5, 100_000, "m³", step=5, decimals=0, first=USUAL_VOLUME_M3)
        self.volume = OptionalFigureBox(tr("Room &volume"), volumes, self)
        self.reverberation = FigureBox(tr("Reverberation"), FieldRange(0.05, 10, "s", step=0.05, decimals=2), self)
        tariffs = FieldRange(0, DEAREST_KWH, "", step=0.01, decimals=3, first=USUAL_TARIFF)
        self.tariff = OptionalFigureBox(tr("&Tariff, per kWh"), tariffs, self)
        self.load = QComboBox(self)
        self.load.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.load.setMinimumContentsLength(8)
        self.load.setAccessibleName(tr("Load"))
        self.load.setToolTip(tr("The load for which energy, cost and circuit are calculated"))
        for load in LoadCase:
            self.load.addItem(load.label, load)
        fans = FieldRange(100 * SLOWEST_FANS, 100, "%", step=5, decimals=0, first=USUAL_FANS_PCT)
        self.fans = OptionalFigureBox(tr("&Fans set to"), fans, self)
        self.room.setToolTip(tr("The air that the machine draws in"))
        self.distance.setToolTip(tr("From the surface of the case"))
        self.volume.setToolTip(tr("Length x width x height: the walls reflect sound. Without it, free field."))
        words = tr("The room without the machine: a quiet home by day has 28 dBA, an office 35 to 45.")
        self.background.setToolTip(words)
        self.reverberation.setToolTip(tr("T60: time until a sound is 60 dB weaker; 0.4 to 0.6 s in a furnished room."))
        self.tariff.setToolTip(tr("In any currency"))
        self.fans.setToolTip(tr("Case and radiator fans in training, of full speed; otherwise 70 to 80 % is assumed."))
        self._fields: dict[str, FigureBox] = {
            "room_c": self.room,
            "altitude_m": self.altitude,
            "distance_m": self.distance,
            "background_dba": self.background,
            "room_volume_m3": self.volume,
            "reverberation_s": self.reverberation,
            "tariff_per_kwh": self.tariff,
        }

    def _lay_out(self) -> None:
        room = QGroupBox(tr("Room and listener"), self)
        room.setToolTip(tr("Yours: they apply to every build and are kept with the window's settings."))
        rows = _form(room)
        for field in self._fields.values():
            rows.addRow(field.head, field)
        rows.addRow(tr("&Load"), self.load)
        rows.addRow(self.usual)
        build = QGroupBox(tr("This build"), self)
        own = _form(build)
        own.addRow(self.fans.head, self.fans)
        own.addRow(muted(build, tr("Kept with the build; undo reverts it.")))
        column_of(room, build, 1, into=self, margins=8, spacing=8)


def _form(group: QGroupBox) -> QFormLayout:
    form = QFormLayout(group)
    form.setContentsMargins(8, 8, 8, 8)
    form.setSpacing(6)
    form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    return form
