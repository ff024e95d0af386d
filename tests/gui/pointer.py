"""What a mouse lets fall and turns, as Qt tells a widget of it."""

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QDropEvent, QWheelEvent


def drop_of(data, at=QPointF(3, 3)):  # noqa: B008 - it is never changed
    """The drop of data with the left button at a point; the data live as long as the event."""
    event = QDropEvent(
        QPointF(at), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    event.data_of_the_drag = data
    return event


def turn_of_wheel(widget, angle, held=Qt.KeyboardModifier.NoModifier, at=None):
    """The wheel turned by an angle in eighths of a degree while a key is held, at a point of a widget or its centre."""
    place = QPointF(widget.rect().center() if at is None else at)
    button, phase = Qt.MouseButton.NoButton, Qt.ScrollPhase.NoScrollPhase
    return QWheelEvent(place, widget.mapToGlobal(place), QPoint(), QPoint(0, angle), button, held, phase, False)
