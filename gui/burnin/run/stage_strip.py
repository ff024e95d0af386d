"""The stages of a run side by side: what each became, how far it is, and the time that is left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from core.burnin.record.rows import ResultStatus, StageResult, StageRow, StageStatus
from core.burnin.stages.registry import BY_KIND
from core.burnin.verdict.states import BAD, StageState, StageStates, stage_states
from core.words import tr
from gui.burnin.recording import Recording
from gui.burnin.words import clock
from gui.widgets.figures import describe
from gui.widgets.form import column_of, row_of
from gui.widgets.text import ElidedLabel, Label, tip
from gui.widgets.theme import theme

ICON = QSize(16, 16)
ROUND = ", round "
"""Between the title of a repeated stage and its number: the number has its place in the second line."""
SPACING = 8
LEAST_WIDTH = 104
"""Of an item, so that its title can be told from its neighbours'."""


TONES = {
    **dict.fromkeys(BAD, "fail"),
    **dict.fromkeys((StageState.STOPPED, StageState.SKIPPED, StageState.NOT_RUN, StageState.PARTLY), "unknown"),
    StageState.WARNED: "warn",
    StageState.PASSED: "pass",
}
"""Colour and icon of a stage; none before it is over, unless something failed in it."""


class StageStrip(QWidget):
    """One item per stage, then elapsed and remaining time.

    Of more stages than there is room for, as many as fit are shown in full, the current one among them, over a line of
    all of them.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Stages"))
        self._recording: Recording | None = None
        self._current: int | None = None
        self.times = Label(self)
        self.overview = StageOverview(self)
        self._row = StageItems(self)
        self._arrange()
        self.overview.chosen.connect(self._row.show_place)
        self._row.fitted.connect(self.overview.setHidden)
        theme().changed.connect(self.refresh)

    @property
    def items(self) -> list[StageItem]:
        """One for each stage, in sight or not."""
        return self._row.items

    def set_recording(self, recording: Recording | None) -> None:
        """The stages of another run."""
        self._recording = recording
        self._current = None
        self._row.set_count(len(recording.stages) if recording else 0)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Takes over progress and results."""
        if self._recording is None:
            self.times.clear()
            return
        recording = self._recording
        results: dict[int, list[StageResult]] = {}
        for result in recording.results:
            results.setdefault(result.number, []).append(result)
        burned = [device.device.id for device in recording.devices if device.burned]
        states = stage_states(recording.stages, recording.results, recording.errors, burned)
        for item, stage, stands in zip(self.items, recording.stages, states, strict=False):
            item.show_stage(stage, results.get(stage.number, []), stands, going_on=recording.running)
        self.times.setText(self._times_text(self._recording))
        describe(self, self.as_text)
        self.overview.show_pieces([item.piece for item in self.items if item.piece is not None])
        self._follow(self._recording.stages)

    def as_text(self) -> str:
        """The time, then each stage with its state."""
        return "; ".join([self.times.text().replace("\n", ", "), *(item.accessibleName() for item in self.items)])

    def _follow(self, stages: Sequence[StageRow]) -> None:
        """Brings the current stage into sight when it begins: not again while the user looks elsewhere."""
        current = next((place for place, stage in enumerate(stages) if stage.status is StageStatus.RUNNING), None)
        if current is not None and current != self._current:
            self._row.show_place(current)
        self._current = current if current is not None else self._current

    def _arrange(self) -> None:
        column_of(row_of((self._row, 1), self.times, spacing=SPACING), self.overview, into=self, spacing=2)
        self.overview.hide()

    def _times_text(self, recording: Recording) -> str:
        elapsed = clock(recording.last_s)
        if not recording.running:
            return tr("lasted {elapsed}", elapsed=elapsed)
        place = next((n for n, stage in enumerate(recording.stages, 1) if stage.status is StageStatus.RUNNING), None)
        remaining = clock(remaining_s(recording.stages))
        if place is None:
            return tr("{elapsed} elapsed\n{remaining} left", elapsed=elapsed, remaining=remaining)
        return tr(
            "stage {place} of {all}, {elapsed} elapsed\n{remaining} left",
            place=place,
            all=len(recording.stages),
            elapsed=elapsed,
            remaining=remaining,
        )


class StageItems(QWidget):
    """As many whole items as there is room for, evenly wide; the wheel and the line of all stages move along them."""

    fitted = Signal(bool)
    """Whether all stages are in sight."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.items: list[StageItem] = []
        self._middle = 0
        """The place that is to be in sight."""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_count(self, count: int) -> None:
        """Items for so many stages, from the first on."""
        for item in self.items:
            item.hide()
            item.deleteLater()
        self.items = [StageItem(self) for _ in range(count)]
        self.updateGeometry()
        self.show_place(0)

    def sizeHint(self) -> QSize:
        """As high as an item."""
        return QSize(LEAST_WIDTH, self.items[0].sizeHint().height() if self.items else 0)

    @Slot(int)
    def show_place(self, place: int) -> None:
        """Brings an item to the middle, as far as there are items on both sides."""
        self._middle = place
        room = self._room()
        first = self._first(room)
        seen = self.items[first : first + room]
        for item in (*self.items[:first], *self.items[first + room :]):
            item.hide()
        step = (self.width() + SPACING) / max(len(seen), 1)
        edges = [round(number * step) for number in range(len(seen) + 1)]
        for item, (left, right) in zip(seen, pairwise(edges), strict=True):
            item.setGeometry(left, 0, right - left - SPACING, self.height())
            item.show()
        self.fitted.emit(len(self.items) <= room)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """More or fewer items fit."""
        super().resizeEvent(event)
        self.show_place(self._middle)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """One item further for each step."""
        turned, room = event.angleDelta().x() or event.angleDelta().y(), self._room()
        self.show_place(self._first(room) + room // 2 - (turned > 0) + (turned < 0))
        event.accept()

    def _room(self) -> int:
        return max(1, (self.width() + SPACING) // (LEAST_WIDTH + SPACING))

    def _first(self, room: int) -> int:
        """The item at the left."""
        return min(max(self._middle - room // 2, 0), max(len(self.items) - room, 0))


class StageItem(QWidget):
    """Icon, title and state of a stage over a bar of its progress."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._icon = Label(self)
        self._icon.setFixedSize(ICON)
        self._title = ElidedLabel("", self)
        self._state = ElidedLabel("", self)
        self._state.setForegroundRole(self._state.palette().ColorRole.PlaceholderText)
        self._progress = ProgressLine(self)
        self._key: tuple[object, ...] = ()
        self.piece: StagePiece | None = None
        """The same stage in the line of all."""
        head = row_of(self._icon, (self._title, 1), spacing=4)
        column_of(head, self._state, self._progress, into=self, spacing=1)

    def show_stage(self, stage: StageRow, results: list[StageResult], stands: StageStates, *, going_on: bool) -> None:
        """Takes over a stage and how it stands on each device; `going_on` is false once the run is over."""
        statuses = tuple((result.device_id, result.status) for result in results)
        key = (stage, statuses, stands.words, theme().dark, going_on)
        if key == self._key:
            return
        self._key = key
        cut_short = stage.status is StageStatus.RUNNING and not going_on
        tone = "unknown" if cut_short else TONES.get(stands.whole, "")
        title, _, place = stage.title.partition(ROUND)
        state = tr("cut short") if cut_short else self._state_text(stage, stands)
        self._title.setText(title)
        self._state.setText(tr("{state}, round {place}", state=state, place=place) if place else state)
        waiting = "mdi6.clock-outline" if stage.status is StageStatus.PENDING else "start"
        icon = theme().status_icon(tone) if tone else theme().icon(waiting, "muted")
        self._icon.setPixmap(icon.pixmap(ICON))
        self._progress.show_fraction(_fraction(stage), tone or "accent")
        self.setAccessibleName(f"{stage.title}: {self._state.text()}")
        self.setToolTip(tip("\n".join(_tooltip(stage, self._state.text(), results))))
        current = stage.status is StageStatus.RUNNING and going_on
        self.piece = StagePiece(stage.seconds, _fraction(stage), tone or "accent", self.toolTip(), current)

    def _state_text(self, stage: StageRow, stands: StageStates) -> str:
        if stage.status is StageStatus.RUNNING:
            left = clock(stage.seconds * (1 - stage.fraction))
            return tr("{percent:.0f} %, {left} left", percent=100 * stage.fraction, left=left)
        return stands.words if stage.status is StageStatus.DONE else stage.status.label


class ProgressLine(QWidget):
    """A thin bar."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._fraction, self._colour = 0.0, "accent"
        self.setFixedHeight(4)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_fraction(self, fraction: float, colour: str) -> None:
        """0 to 1, in a colour of the theme."""
        self._fraction, self._colour = fraction, colour
        self.update()

    def paintEvent(self, _: QPaintEvent) -> None:
        """Track and bar."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme().color("border"))
        painter.fillRect(0, 0, round(self.width() * self._fraction), self.height(), theme().color(self._colour))
        painter.end()


def _tooltip(stage: StageRow, state: str, results: list[StageResult]) -> Iterator[str]:
    """What the stage is, what it finds, and how it ended on each device; devices that passed share a line."""
    yield f"{stage.title}, {clock(stage.seconds)}: {state}"
    if stage.kind in BY_KIND:
        yield tr("Finds {faults}.", faults=BY_KIND[stage.kind].finds)
    passed = [result.device_id for result in results if result.status is ResultStatus.PASSED]
    for result in results:
        if result.status is not ResultStatus.PASSED:
            yield f"{result.device_id}: {result.status.label}. {result.reason}".rstrip()
    if passed:
        yield f"{', '.join(passed)}: {ResultStatus.PASSED.label}"


def remaining_s(stages: list[StageRow]) -> float:
    """Planned time of what is still to come."""
    left = [stage for stage in stages if stage.status in (StageStatus.PENDING, StageStatus.RUNNING)]
    return sum(stage.seconds * (1 - stage.fraction) for stage in left)


def _fraction(stage: StageRow) -> float:
    """A skipped stage is not filled: its recorded fraction only says that it is closed."""
    return {StageStatus.DONE: 1.0, StageStatus.SKIPPED: 0.0}.get(stage.status, stage.fraction)


HEIGHT = 10


@dataclass(frozen=True, slots=True)
class StagePiece:
    """A stage in the line. `fraction` of it is filled with a colour of the theme."""

    seconds: float
    fraction: float
    colour: str
    words: str
    current: bool


class StageOverview(QWidget):
    """Shows where the run is; a click brings that stage into the bar."""

    chosen = Signal(int)
    """The place of the stage that was pressed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("All stages"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(HEIGHT)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._pieces: tuple[StagePiece, ...] = ()
        self._ends: list[float] = []

    def show_pieces(self, pieces: Sequence[StagePiece]) -> None:
        """In the order of the run."""
        if tuple(pieces) == self._pieces:
            return
        self._pieces = tuple(pieces)
        self._ends = list(accumulate(piece.seconds for piece in pieces))
        self.update()

    def place_at(self, x: float) -> int | None:
        """The place of the stage under a point of the line; None without stages."""
        seconds = x / max(self.width(), 1) * (self._ends[-1] if self._ends else 0.0)
        return next((place for place, end in enumerate(self._ends) if seconds <= end), None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Asks for the stage."""
        place = self.place_at(event.position().x())
        if place is not None:
            self.chosen.emit(place)

    def event(self, event: QEvent) -> bool:
        """The tooltip is that of the stage under the mouse."""
        if isinstance(event, QHelpEvent):
            place = self.place_at(event.pos().x())
            QToolTip.showText(event.globalPos(), "" if place is None else tip(self._pieces[place].words), self)
            return True
        return super().event(event)

    def paintEvent(self, _: QPaintEvent) -> None:
        """A block for each stage, the current one framed."""
        painter = QPainter(self)
        scale = self.width() / max(self._ends[-1] if self._ends else 1.0, 1e-9)
        gap = 1.0 if len(self._pieces) * 4 < self.width() else 0.0
        for piece, end in zip(self._pieces, self._ends, strict=True):
            left, width = (end - piece.seconds) * scale, max(piece.seconds * scale - gap, 1.0)
            painter.fillRect(QRectF(left, 2, width, HEIGHT - 4), theme().color("border"))
            painter.fillRect(QRectF(left, 2, width * piece.fraction, HEIGHT - 4), theme().color(piece.colour))
            if piece.current:
                painter.fillRect(QRectF(left, 0, max(width, 3.0), 2), theme().color("accent"))
                painter.fillRect(QRectF(left, HEIGHT - 2, max(width, 3.0), 2), theme().color("accent"))
        painter.end()
