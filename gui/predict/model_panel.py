"""Language models on the build: which one, what is done with it, for how many users; memory and speed below."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QSlider, QWidget

from core.parts.vocabulary import Category
from core.platform.errors import BadInput
from core.predict.llm.models import model_named, presets
from core.predict.llm.workload import (
    USUAL_CONTEXT,
    USUAL_MODELS,
    Method,
    Split,
    WeightFormat,
    Workload,
    formats_of,
    splits_of,
    usual,
    usual_split,
    usual_weights,
)
from core.present.report.build_language_models import model_blocks
from core.present.report.document import Block
from core.words import tr
from gui.planner.document import PlanDocument
from gui.predict.topic_panels import TopicPanel
from gui.widgets.actions import without_mnemonic
from gui.widgets.context import belongs_to
from gui.widgets.figures import number
from gui.widgets.form import choice_box, column_of, row_of
from gui.widgets.text import Label, muted

FEWEST_TOKENS, MOST_USERS = 1024, 256


class ModelPanel(TopicPanel):
    """The workload is the window's: it is no part of the build."""

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        self.choices = ModelChoices()
        self._workload = self.choices.workload
        super().__init__(document, parent)
        self.body.insertWidget(0, self.choices)
        self.problem = muted(self)
        self.problem.hide()
        self.body.insertWidget(1, self.problem)
        self.choices.changed.connect(self.follow)
        belongs_to(self, "language-models")

    def lack(self) -> str:
        """Without a GPU nothing runs."""
        if not self.document.build.count(Category.GPU):
            return tr("The build has no GPU. Once it has one, this shows which language models it runs and how fast.")
        return ""

    def blocks(self) -> Iterable[Block]:
        return model_blocks(self.assessment, self._workload)

    def refresh(self) -> None:
        """What the choices ask for, or why they make no sense together."""
        try:
            self._workload = self.choices.workload
        except BadInput as error:
            self.problem.setText(str(error))
            self.problem.show()
            return
        self.problem.hide()
        super().refresh()

    def _choose(self, _name: str, key: Hashable) -> None:
        """A row of the other models is asked about."""
        if isinstance(key, str):
            self.choices.ask_about(key)


class ModelChoices(QWidget):
    """`changed()` when another workload is asked about."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        models = [(model.title, model.id) for model in presets()]
        self.model = choice_box(self, tr("Language model"), models)
        self.method = choice_box(self, tr("Task"), [(method.label, method) for method in Method])
        self.weights = choice_box(self, tr("Weights"), [])
        self.split = choice_box(self, tr("Split over cards"), [])
        self.context = DoublingSlider(tr("Conte&xt, tokens"), FEWEST_TOKENS, USUAL_CONTEXT, self)
        self.users = DoublingSlider(tr("&Users at once"), 1, MOST_USERS, self)
        self._lay_out()
        with QSignalBlocker(self.model):
            self.model.setCurrentIndex(self.model.findData(USUAL_MODELS[0]))
        self._offer()
        self.context.put(USUAL_CONTEXT)
        self.users.put(1)
        self.model.currentIndexChanged.connect(self._offer)
        self.method.currentIndexChanged.connect(self._offer)
        for box in (self.weights, self.split):
            box.currentIndexChanged.connect(self.changed)
        for slider in (self.context, self.users):
            slider.moved.connect(self.changed)

    @property
    def workload(self) -> Workload:
        """What is asked. Raises BadInput for what makes no sense together."""
        return usual(
            model_named(self.model.currentData()),
            Method(self.method.currentData()),
            weights=WeightFormat(self.weights.currentData()),
            split=Split(self.split.currentData()),
            context=self.context.value,
            requests=self.users.value,
        )

    def ask_about(self, model_id: str) -> None:
        """Another model, all else as it is."""
        self.model.setCurrentIndex(self.model.findData(model_id))

    @Slot()
    def _offer(self) -> None:
        """What the task and the model leave to choose; what was chosen stays where it can."""
        method = Method(self.method.currentData())
        _offer(self.weights, [(one.label, one) for one in formats_of(method)], usual_weights(method))
        _offer(self.split, [(one.label, one) for one in splits_of(method)], usual_split(method))
        self.context.limit(model_named(self.model.currentData()).longest_context)
        self.changed.emit()

    def _lay_out(self) -> None:
        labels = []
        for words, box in (
            (tr("Mode&l"), self.model),
            (tr("&Task"), self.method),
            (tr("&Weights"), self.weights),
            (tr("&Split"), self.split),
        ):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(12)
            label = Label(words, self)
            label.setBuddy(box)
            labels.append(label)
        model, task, weights, split = labels
        first = row_of(model, (self.model, 1), task, (self.method, 1), spacing=8)
        second = row_of(weights, (self.weights, 1), split, (self.split, 1), spacing=8)
        third = row_of((self.context, 1), (self.users, 1), spacing=24)
        column_of(first, second, third, into=self, spacing=8)


def _offer(box: QComboBox, options: Iterable[tuple[str, Any]], otherwise: Any) -> None:
    """Fills a box; its choice stays where it is among the options."""
    chosen = box.currentData()
    with QSignalBlocker(box):
        box.clear()
        for words, value in options:
            box.addItem(words, value)
        at = box.findData(chosen) if chosen is not None else -1
        box.setCurrentIndex(at if at >= 0 else box.findData(otherwise))


class DoublingSlider(QWidget):
    """A slider whose steps double, with its name and its figure; `moved()` when it says something else."""

    moved = Signal()

    def __init__(self, title: str, least: int, most: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._least = least
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setPageStep(1)
        self.slider.setAccessibleName(without_mnemonic(title))
        label = Label(title, self)
        label.setBuddy(self.slider)
        self._figure = Label(self)
        self._figure.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row_of(label, (self.slider, 1), self._figure, into=self)
        self.limit(most)
        self._fit()
        self.slider.valueChanged.connect(self._tell)

    @property
    def value(self) -> int:
        """What it stands at."""
        return int(self._least << self.slider.value())

    def put(self, value: int) -> None:
        """Stands at the nearest step below."""
        with QSignalBlocker(self.slider):
            self.slider.setValue((value // self._least).bit_length() - 1)
        self._show()

    def limit(self, most: int) -> None:
        """Goes no further than this."""
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, max(0, (most // self._least).bit_length() - 1))
        self._show()

    def changeEvent(self, event: QEvent) -> None:
        """Larger letters need more room."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_figure"):
            self._fit()

    def _fit(self) -> None:
        self._figure.setMinimumWidth(self._figure.fontMetrics().horizontalAdvance(number(1_048_576)) + 4)

    @Slot()
    def _tell(self) -> None:
        self._show()
        self.moved.emit()

    def _show(self) -> None:
        words = number(self.value)
        self._figure.setText(words)
        self.slider.setAccessibleDescription(words)
