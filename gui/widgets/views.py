"""Gives lists and tables a quiet selection: a tint of the accent instead of a bar, the text stays readable."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QAbstractItemView

from gui.theme import theme

TINT = 0.16


def quiet_selection(view: QAbstractItemView) -> None:
    """Follows the theme for as long as the view lives."""
    _Quiet(view)


class _Quiet(QObject):
    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view
        theme().changed.connect(self._recolour)
        self._recolour()

    @Slot()
    def _recolour(self) -> None:
        palette = QPalette(self._view.palette())
        tinted = mixed(theme().color("surface"), theme().color("accent"), TINT)
        palette.setColor(QPalette.ColorRole.Highlight, tinted)
        palette.setColor(QPalette.ColorRole.HighlightedText, theme().color("text"))
        for role, name in ((QPalette.ColorRole.Base, "surface"), (QPalette.ColorRole.Text, "text")):
            palette.setColor(role, theme().color(name))
        self._view.setPalette(palette)


def mixed(ground: QColor, layer: QColor, share: float) -> QColor:
    """`layer` at this share over `ground`, opaque."""

    def mix(top: float, low: float) -> float:
        return share * top + (1 - share) * low

    return QColor.fromRgbF(
        mix(layer.redF(), ground.redF()), mix(layer.greenF(), ground.greenF()), mix(layer.blueF(), ground.blueF())
    )
