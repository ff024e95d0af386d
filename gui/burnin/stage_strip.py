"""The stages of a run side by side: what each became, how far it is, and the time that is left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from PySide6.QtCore import QCoreApplication, QEvent, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QSizePolicy, QToolTip, QVBoxLayout, QWidget

from core.burnin.record.rows import ResultStatus, StageResult, StageRow, StageStatus
from core.burnin.stages.registry import BY_KIND
from gui.burnin.clock import clock
from gui.burnin.recording import Recording
from gui.burnin.run_words import result_word, stage_word
from gui.theme import theme
from gui.widgets.text import ElidedLabel, Label, tip

ICON = QSize(16, 16)
ROUND = ", round "
"""Between the title of a repeated stage and its number: the number has its place in the second line."""
LEAST_WIDTH = 104
"""Of an item, so that its title can be told from its neighbours'."""


class StageStrip(QWidget):
    """One item per stage, then elapsed and remaining time.

    More stages than there is room for are scrolled, the current one into view, under a line that shows all of them.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Stages"))
        self._recording: Recording | None = None
        self._current: int | None = None
        self.items: list[StageItem] = []
        self.times = Label(self)
        self.strip = StageOverview(self)
        self._scroll = _Sideways(self)
        self._line = QWidget(self._scroll)
        self._items = QHBoxLayout(self._line)
        self._arrange()
        self.strip.chosen.connect(self.show_place)
        theme().changed.connect(self.refresh)

    def set_recording(self, recording: Recording | None) -> None:
        """The stages of another run."""
        for item in self.items:
            self._items.removeWidget(item)
            item.hide()
            item.deleteLater()
        self._recording = recording
        self._current = None
        self.items = [StageItem(self._line) for _ in recording.stages] if recording else []
        for item in self.items:
            self._items.addWidget(item, 1)
            item.show()  # else it has no height yet
        self._show_strip()
        self.refresh()
        self._scroll.setFixedHeight(self._line.sizeHint().height())

    @Slot()
    def refresh(self) -> None:
        """Takes over progress and results."""
        if self._recording is None:
            self.times.clear()
            return
        results: dict[int, list[StageResult]] = {}
        for result in self._recording.results:
            results.setdefault(result.number, []).append(result)
        for item, stage in zip(self.items, self._recording.stages, strict=False):
            item.show_stage(stage, results.get(stage.number, []), going_on=self._recording.running)
        self.times.setText(self._times_text(self._recording))
        self.strip.show_pieces([item.piece for item in self.items if item.piece is not None])
        self._follow(self._recording.stages)

    @Slot(int)
    def show_place(self, place: int) -> None:
        """Scrolls to a stage, its neighbours beside it."""
        if 0 <= place < len(self.items):
            self._line.adjustSize()
            self._scroll.ensureWidgetVisible(self.items[place], self._scroll.viewport().width() // 2, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """With more room all stages may fit."""
        super().resizeEvent(event)
        self._show_strip()
        if self._current is not None:
            self.show_place(self._current)

    def _follow(self, stages: Sequence[StageRow]) -> None:
        """Brings the current stage into view when it begins: not again while the user looks elsewhere."""
        current = next((place for place, stage in enumerate(stages) if stage.status is StageStatus.RUNNING), None)
        if current is not None and current != self._current:
            self.show_place(current)
        self._current = current if current is not None else self._current

    def _show_strip(self) -> None:
        self.strip.setVisible(len(self.items) * LEAST_WIDTH > self.width() - self.times.width())

    def _arrange(self) -> None:
        self._items.setContentsMargins(0, 0, 0, 0)
        self._items.setSpacing(8)
        self._scroll.setWidget(self._line)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._scroll, 1)
        row.addWidget(self.times)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addLayout(row)
        layout.addWidget(self.strip)
        self.strip.hide()

    def _times_text(self, recording: Recording) -> str:
        elapsed = clock(recording.last_s)
        if not recording.running:
            return self.tr("lasted {elapsed}").format(elapsed=elapsed)
        place = next((n for n, stage in enumerate(recording.stages, 1) if stage.status is StageStatus.RUNNING), None)
        where = "" if place is None else self.tr("stage {n} of {all}, ").format(n=place, all=len(recording.stages))
        return self.tr("{where}{elapsed} elapsed\n{remaining} left").format(
            where=where, elapsed=elapsed, remaining=clock(remaining_s(recording.stages))
        )


class _Sideways(QScrollArea):
    """As high as what it holds; the wheel and the line of all stages scroll it, no bar takes room."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.viewport().setAutoFillBackground(False)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Moves sideways."""
        turned = event.angleDelta()
        bar = self.horizontalScrollBar()
        bar.setValue(bar.value() - (turned.x() or turned.y()))
        event.accept()


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
        self.setMinimumWidth(LEAST_WIDTH)
        head = QHBoxLayout()
        head.setSpacing(4)
        head.addWidget(self._icon)
        head.addWidget(self._title, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(1)
        layout.addLayout(head)
        layout.addWidget(self._state)
        layout.addWidget(self._progress)

    def show_stage(self, stage: StageRow, results: list[StageResult], *, going_on: bool) -> None:
        """Takes over a stage and how it ended on each device; `going_on` is false once the run is over."""
        key = (stage, tuple((result.device_id, result.status) for result in results), theme().dark, going_on)
        if key == self._key:
            return
        self._key = key
        cut_short = stage.status is StageStatus.RUNNING and not going_on
        tone = "unknown" if cut_short else stage_tone(stage, results)
        title, _, place = stage.title.partition(ROUND)
        state = self.tr("cut short") if cut_short else self._state_text(stage, results)
        self._title.setText(title)
        self._state.setText(self.tr("{state}, round {place}").format(state=state, place=place) if place else state)
        waiting = "mdi6.clock-outline" if stage.status is StageStatus.PENDING else "start"
        icon = theme().status_icon(tone) if tone else theme().icon(waiting, "muted")
        self._icon.setPixmap(icon.pixmap(ICON))
        self._progress.show_fraction(_fraction(stage), tone or "accent")
        self.setAccessibleName(f"{stage.title}: {self._state.text()}")
        self.setToolTip(tip("\n".join(_tooltip(stage, self._state.text(), results))))
        current = stage.status is StageStatus.RUNNING and going_on
        self.piece = StagePiece(stage.seconds, _fraction(stage), tone or "accent", self.toolTip(), current)

    def _state_text(self, stage: StageRow, results: list[StageResult]) -> str:
        if stage.status is StageStatus.RUNNING:
            left = clock(stage.seconds * (1 - stage.fraction))
            return self.tr("{percent:.0f} %, {left} left").format(percent=100 * stage.fraction, left=left)
        worst = worst_result(results)
        if stage.status is StageStatus.DONE and worst is not None:
            return result_word(worst)
        return stage_word(stage.status)


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
    translate = QCoreApplication.translate
    yield f"{stage.title}, {clock(stage.seconds)}: {state}"
    if stage.kind in BY_KIND:
        yield translate("StageStrip", "Finds {faults}.").format(faults=BY_KIND[stage.kind].finds)
    passed = [result.device_id for result in results if result.status is ResultStatus.PASSED]
    for result in results:
        if result.status is not ResultStatus.PASSED:
            yield f"{result.device_id}: {result_word(result.status)}. {result.reason}".rstrip()
    if passed:
        yield f"{', '.join(passed)}: {result_word(ResultStatus.PASSED)}"


def stage_tone(stage: StageRow, results: list[StageResult]) -> str:
    """The colour and icon of a stage that is over, "" before."""
    if stage.status is StageStatus.SKIPPED:
        return "unknown"
    if stage.status is not StageStatus.DONE:
        return ""
    match worst_result(results):
        case ResultStatus.FAILED | ResultStatus.DIED:
            return "fail"
        case ResultStatus.NOT_RUN | ResultStatus.STOPPED:
            return "unknown"
        case _:
            return "pass"


def worst_result(results: list[StageResult]) -> ResultStatus | None:
    """The gravest end of a stage among the devices. A stage that no device ran did not pass."""
    gravity = (
        ResultStatus.FAILED,
        ResultStatus.DIED,
        ResultStatus.STOPPED,
        ResultStatus.NOT_RUN,
        ResultStatus.PASSED,
    )
    statuses = {result.status for result in results}
    return next((status for status in gravity if status in statuses), None)


def remaining_s(stages: list[StageRow]) -> float:
    """Planned time of what is still to come."""
    return sum(
        stage.seconds * (1 - stage.fraction)
        for stage in stages
        if stage.status in (StageStatus.PENDING, StageStatus.RUNNING)
    )


def _fraction(stage: StageRow) -> float:
    """A skipped stage is not filled: its recorded fraction only says that it is closed."""
    match stage.status:
        case StageStatus.DONE:
            return 1.0
        case StageStatus.SKIPPED:
            return 0.0
        case _:
            return stage.fraction


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
        self.setAccessibleName(self.tr("All stages"))
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
        wanted = x / max(self.width(), 1) * (self._ends[-1] if self._ends else 0.0)
        return next((place for place, end in enumerate(self._ends) if wanted <= end), None)

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
