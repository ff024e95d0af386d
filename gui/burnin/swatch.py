"""The legend of one device: its colour and dash; pressing it hides the device's curves."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QWidget

from gui.theme import theme
from gui.widgets.text import tip


class Swatch(QAbstractButton):
    """Checked: the curves are shown."""

    def __init__(self, position: int, label: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._position = position
        self.setCheckable(True)
        self.setChecked(True)
        self.setAccessibleName(self.tr("Show curves of {device}").format(device=label))
        self.setToolTip(tip(self.tr("Show or hide the curves of {device}").format(device=label)))
        self.setFixedSize(36, 18)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def sizeHint(self) -> QSize:
        """As wide as the dash pattern needs."""
        return QSize(36, 18)

    def paintEvent(self, _: QPaintEvent) -> None:
        """A short piece of the curve; empty when hidden."""
        painter = QPainter(self)
        colours = theme()
        painter.setPen(colours.color("accent" if self.hasFocus() else "border"))
        painter.setBrush(colours.color("surface"))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        if self.isChecked():
            painter.setPen(QPen(colours.series(self._position), 2, colours.series_style(self._position)))
            middle = self.height() / 2
            painter.drawLine(QPointF(3, middle), QPointF(self.width() - 4, middle))
        painter.end()
