"""A burn-in to try: four simulated cards, one of which gets a memory error, from its start to the sealed certificate.

Each step frames the real widget, with a few words beside it, and goes on by itself where something has to happen
first. The run takes a minute, the reading another one. Leaving it changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import QObject, QPoint, QRect, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from core.burnin.record.rows import Outcome
from core.burnin.simulated_plan import with_plan
from core.burnin.verdict.states import Condition
from core.plan.build import Build
from core.plan.file import dump_build
from core.plan.templates import TEMPLATES
from core.words import tr
from gui.burnin.recording import DeviceRecord, Recording
from gui.burnin.run.page import BurninPage
from gui.burnin.run.plan_bar import SimulatedExample
from gui.burnin.words import clock, error_words
from gui.widgets.figures import say
from gui.widgets.form import column_of, row_of
from gui.widgets.text import Label, sentence
from gui.widgets.theme import theme

WIDTH_PX = 360
GAP_PX = 8
FRAME_PX = 3


class Callout(QFrame):
    """Lies over the window, beside what it speaks of, and never over it where there is room elsewhere."""

    next_wanted = Signal()
    left = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.setObjectName("callout")
        self.setAccessibleName(tr("Tour"))
        self._ring = CalloutRing(window)
        self._step = Label(self)
        self.words = sentence(self)
        self.next = QPushButton(tr("Next"), self)
        self.leave = QPushButton(tr("Leave the tour"), self)
        self.leave.setToolTip(tr("Everything stays as it is (Esc)"))
        column_of(self.words, row_of((self._step, 1), self.leave, self.next), into=self, margins=(12, 10, 12, 10))
        self.setFixedWidth(WIDTH_PX)
        self.next.clicked.connect(self.next_wanted)
        self.leave.clicked.connect(self.left)
        theme().changed.connect(self._recolour)
        self._recolour()
        self.hide()

    def text(self) -> str:
        """What it says."""
        return self.words.text()

    @property
    def framed(self) -> QRect:
        """What is framed, in pixels of the window; empty where nothing is."""
        return self._ring.inside if self._ring.isVisible() else QRect()

    def say_step(self, number: int, of: int, text: str, *, waits: bool, last: bool) -> None:
        """`waits`: the next step comes by itself, once something has happened."""
        self._step.setText(tr("{number} of {all}", number=number, all=of))
        self.words.setText(text)
        self.next.setVisible(not waits)
        self.next.setText(tr("Done") if last else tr("Next"))
        say(self, text)

    def point_at(self, target: QWidget | None) -> None:
        """Frames a widget and stands beside it; without one that can be seen, in a corner."""
        window = self._window
        seen = target is not None and target.isVisible() and not target.visibleRegion().isEmpty()
        place = QRect()
        if target is not None and seen:
            shown = target.visibleRegion().boundingRect()
            place = QRect(target.mapTo(window, shown.topLeft()), shown.size()).intersected(window.rect())
        self._ring.show_around(place)
        height = self.heightForWidth(WIDTH_PX) if self.hasHeightForWidth() else self.sizeHint().height()
        where = _beside(place, QSize(WIDTH_PX, height), window.rect())
        if self.geometry() != QRect(where, QSize(WIDTH_PX, height)):
            self.setGeometry(QRect(where, QSize(WIDTH_PX, height)))
        if not self.isVisible():
            self.show()
        self._ring.raise_()
        self.raise_()

    def end(self) -> None:
        """Takes both away."""
        for part in (self._ring, self):
            part.hide()
            part.deleteLater()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape leaves the tour."""
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    @Slot()
    def _recolour(self) -> None:
        ground, edge = theme().color("surface").name(), theme().color("accent").name()
        self.setStyleSheet(f"QFrame#callout {{ background: {ground}; border: 2px solid {edge}; border-radius: 6px; }}")


class CalloutRing(QWidget):
    """A frame around a place of the window; clicks go through it."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.inside = QRect()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def show_around(self, place: QRect) -> None:
        """An empty place hides it."""
        self.inside = place
        self.setVisible(not place.isEmpty())
        frame = place.adjusted(-FRAME_PX, -FRAME_PX, FRAME_PX, FRAME_PX)
        if not place.isEmpty() and self.geometry() != frame:
            self.setGeometry(frame)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The frame alone."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme().color("accent"), FRAME_PX))
        painter.drawRoundedRect(self.rect().adjusted(1, 1, -2, -2), 4, 4)
        painter.end()


def _beside(place: QRect, size: QSize, window: QRect) -> QPoint:
    """Below, above, right or left of the place, the first that fits; else the lower right corner of the window."""
    corner = QPoint(window.right() - size.width() - GAP_PX, window.bottom() - size.height() - 4 * GAP_PX)
    if place.isEmpty():
        return corner
    room = window.adjusted(GAP_PX, GAP_PX, -GAP_PX, -GAP_PX)
    fitting = (where for where in _around(place, size, room) if room.contains(QRect(where, size)))
    return next(fitting, corner)


def _around(place: QRect, size: QSize, room: QRect) -> Iterator[QPoint]:
    x = min(max(place.left(), room.left()), room.right() - size.width())
    y = min(max(place.top(), room.top()), room.bottom() - size.height())
    away = GAP_PX + FRAME_PX
    yield QPoint(x, place.bottom() + away)
    yield QPoint(x, place.top() - size.height() - away)
    yield QPoint(place.right() + away, y)
    yield QPoint(place.left() - size.width() - away, y)


EXAMPLE = TEMPLATES / "four-used-rtx-3090.rig.json"
SCRIPT = "plan,fault=ecc@2:20s"
WORDS = "4x3090,fault=ecc@2:20s"
"""What the dialog of simulations shows of it, to be changed there."""
PROFILE = "quick-test"
LOOK_MS = 200
"""How often the tour looks whether the next step has come, and where its widget is now."""

ShowRun = Callable[[int], QWidget | None]
"""Chooses a run in the list of runs, and gives the button of its certificate."""


@dataclass(frozen=True, slots=True)
class TourStep:
    """What is said, which widget is framed, and when the next step comes by itself; without that, at a click."""

    words: Callable[[], str]
    target: Callable[[], QWidget | None]
    over: Callable[[], bool] | None = None
    enter: Callable[[], None] = lambda: None


class Tour(QObject):
    """One at a time; it ends with its last step, when it is left, or with a run that is not its own."""

    ended = Signal()

    def __init__(self, page: BurninPage, show_runs: Callable[[], None], certificate_of: ShowRun) -> None:
        super().__init__(page)
        self._page = page
        self._certificate_of = certificate_of
        self._run_id: int | None = None
        self.steps = self._steps(show_runs)
        self.number = 0
        self.callout = Callout(page.window())
        self.callout.next_wanted.connect(self.go_on)
        self.callout.left.connect(self.leave)
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self.follow)

    def begin(self) -> None:
        """The first step."""
        self._timer.start()
        self._enter()
        self.callout.leave.setFocus()

    @Slot()
    def go_on(self) -> None:
        """The next step; after the last one the tour is over."""
        if self.number + 1 == len(self.steps):
            self.leave()
        else:
            self.number += 1
            self._enter()

    @Slot()
    def leave(self) -> None:
        """Everything stays as it is."""
        self._timer.stop()
        self.callout.end()
        self.ended.emit()
        self.deleteLater()

    @Slot()
    def follow(self) -> None:
        """Goes on where the step is over, and follows the widget that it points at."""
        recording = self._recording
        if self._run_id is None:
            self._run_id = self._page.active_run()
        strange = recording is not None and self._run_id is not None and recording.run.id != self._run_id
        sound = recording is not None and not recording.running and self._failed is None
        if strange or (sound and self._run_id is not None):
            self.leave()  # another run is shown, or this one was stopped before its card failed
            return
        over = self.steps[self.number].over
        if over is not None and over():
            self.go_on()
        else:
            self._show()

    def _enter(self) -> None:
        self.steps[self.number].enter()
        self._show()

    def _show(self) -> None:
        step, last = self.steps[self.number], self.number + 1 == len(self.steps)
        self.callout.say_step(self.number + 1, len(self.steps), step.words(), waits=step.over is not None, last=last)
        self.callout.point_at(step.target())

    # -- what the steps speak of ----------------------------------------------------------------------------------

    @property
    def _recording(self) -> Recording | None:
        return self._page.view.recording

    @property
    def _failed(self) -> DeviceRecord | None:
        records = self._recording.devices if self._recording else []
        return next((record for record in records if record.state is not Condition.SOUND), None)

    @property
    def _label(self) -> str:
        return self._failed.label if self._failed else ""

    def _card(self) -> QWidget | None:
        failed = self._failed
        return next((card for card in self._page.view.cards.cards if card.record is failed), None)

    def _state_button(self) -> QWidget | None:
        failed = self._failed
        return next((card.state_button for card in self._page.view.cards.cards if card.record is failed), None)

    def _swap_button(self) -> QWidget:
        banner = self._page.view.banner
        return banner.swap if banner.swap.isVisible() else banner

    def _certificate(self) -> QWidget | None:
        return None if self._run_id is None else self._certificate_of(self._run_id)

    # -- the steps ------------------------------------------------------------------------------------------------

    def _steps(self, show_runs: Callable[[], None]) -> tuple[TourStep, ...]:
        view, bar = self._page.view, self._page.bar
        return (
            TourStep(
                lambda: tr(
                    "Four simulated RTX 3090s in their planned slots; nothing is loaded. Start with F5: it "
                    "takes a minute, and GPU 2 will fail after 20 s."
                ),
                lambda: bar.button(bar.start),
                lambda: self._run_id is not None and self._recording is not None,
            ),
            TourStep(
                lambda: tr(
                    "The stages of the quick test. Every result is compared as it is computed, and sensors "
                    "are read every second. GPU 2 is about to get a memory error."
                ),
                lambda: view.stages,
                lambda: self._failed is not None,
            ),
            TourStep(self._words_of_card, self._card),
            TourStep(self._words_of_charts, lambda: view.board),
            TourStep(self._words_of_place, self._state_button),
            TourStep(
                lambda: tr(
                    "The good cards are tested to the end; here is how long that takes. Then comes the verdict."
                ),
                lambda: view.stages,
                lambda: self._recording is not None and not self._recording.running,
            ),
            TourStep(
                lambda: tr(
                    "The verdict: {verdict}, with its cause, the slot and what to do. The swap test shows "
                    "whether the card, its slot, its cable or its PSU is at fault: it says what to move and "
                    "runs the failed stages again.",
                    verdict=Outcome.FAIL.label,
                ),
                self._swap_button,
            ),
            TourStep(
                lambda: tr(
                    "Every run has a certificate to be signed: verdict, curves and reasons. The failed card "
                    "has an RMA pack for its warranty desk."
                ),
                self._certificate,
                enter=show_runs,
            ),
            TourStep(
                lambda: tr(
                    "A run is sealed when it ends. Verify the seal, in the same menu, says that "
                    "the recording is intact, or what was changed. On another machine: "
                    "rigwright verify."
                ),
                self._certificate,
            ),
        )

    def _words_of_card(self) -> str:
        errors = error_words(self._failed.errors) if self._failed else ""
        return tr("{card} failed: {errors}. Its card is red and comes first.", card=self._label, errors=errors)

    def _words_of_charts(self) -> str:
        first_s = self._failed.errors.first_at_s if self._failed else None
        return tr(
            "In every chart the curve of {card} stands out, and a red line marks the moment: {time}. The other cards "
            "go on.",
            card=self._label,
            time=clock(first_s or 0.0),
        )

    def _words_of_place(self) -> str:
        place = self._recording.plan.place(self._failed.device.id) if self._recording and self._failed else None
        return tr(
            "It sits in slot {slot}. The red word opens the board, where the card to pull is red, with its serial "
            "number and what to do.",
            slot=place.slot if place else "",
        )


def prepare_tour(page: BurninPage, plan: Build, show_runs: Callable[[], None], certificate_of: ShowRun) -> Tour | None:
    """Sets the plan bar and begins the tour; None for a run that goes on, which is left alone."""
    if page.active_run() is not None:
        page.notice.say(tr("A run is in progress. Try this once it has ended."))
        return None
    bar = page.plan
    bar.simulated, bar.simulation_words = with_plan(SCRIPT, plan), WORDS
    bar.example = SimulatedExample(bar.simulated or "", dump_build(plan))
    bar.profile.setCurrentIndex(bar.profile.findData(PROFILE))
    bar.minutes.setValue(0)
    bar.compare.setChecked(False)
    bar.more.setChecked(True)
    page.detect()
    tour = Tour(page, show_runs, certificate_of)
    tour.begin()
    return tour
