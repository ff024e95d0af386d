"""The stages of a run side by side: what each became, how far it is, and the time that is left."""

from __future__ import annotations

from PySide6.QtCore import QSize, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from core.burnin.record import ResultStatus, StageResult, StageRow, StageStatus
from gui.burnin.clock import clock
from gui.burnin.elided import ElidedLabel
from gui.burnin.recording import Recording
from gui.burnin.words import result_word, stage_word
from gui.theme import theme

ICON = QSize(16, 16)


class StageBar(QWidget):
    """One item per stage, then elapsed and remaining time."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Stages"))
        self._recording: Recording | None = None
        self.items: list[StageItem] = []
        self.times = QLabel(self)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(8)
        self._row.addWidget(self.times)
        theme().changed.connect(self.refresh)

    def set_recording(self, recording: Recording | None) -> None:
        """The stages of another run."""
        for item in self.items:
            self._row.removeWidget(item)
            item.hide()
            item.deleteLater()
        self._recording = recording
        self.items = [StageItem(self) for _ in recording.stages] if recording else []
        for place, item in enumerate(self.items):
            self._row.insertWidget(place, item, 1)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Takes over progress and results."""
        if self._recording is None:
            self.times.clear()
            return
        for item, stage in zip(self.items, self._recording.stages, strict=False):
            results = [result for result in self._recording.results if result.number == stage.number]
            item.show_stage(stage, results, going_on=self._recording.running)
        self.times.setText(self._times_text(self._recording))

    def _times_text(self, recording: Recording) -> str:
        elapsed = clock(recording.last_s)
        if not recording.running:
            return self.tr("lasted {elapsed}").format(elapsed=elapsed)
        return self.tr("{elapsed} elapsed\n{remaining} left").format(
            elapsed=elapsed, remaining=clock(remaining_s(recording.stages))
        )


class StageItem(QWidget):
    """Icon, title and state of a stage over a bar of its progress."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._icon = QLabel(self)
        self._icon.setFixedSize(ICON)
        self._title = ElidedLabel("", self)
        self._state = ElidedLabel("", self)
        self._state.setForegroundRole(self._state.palette().ColorRole.PlaceholderText)
        self._progress = ProgressLine(self)
        self._key: tuple[object, ...] = ()
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
        self._title.setText(stage.title)
        self._state.setText(self.tr("cut short") if cut_short else self._state_text(stage, results))
        waiting = "mdi6.clock-outline" if stage.status is StageStatus.PENDING else "start"
        icon = theme().status_icon(tone) if tone else theme().icon(waiting, "muted")
        self._icon.setPixmap(icon.pixmap(ICON))
        self._progress.show_fraction(_fraction(stage), tone or "accent")
        self.setAccessibleName(f"{stage.title}: {self._state.text()}")
        self.setToolTip(
            "\n".join(
                [f"{stage.title}, {clock(stage.seconds)}"]
                + [f"{result.device_id}: {result_word(result.status)}. {result.reason}" for result in results]
            )
        )

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
