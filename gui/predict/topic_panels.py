"""The sections that show a topic as reports have it: power, temperature, noise, energy and cost, and speed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from functools import partial
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from core.parts.vocabulary import Category
from core.plan.build import Build
from core.predict.conditions import LoadCase
from core.predict.curves import over_time
from core.predict.speed.networks import Network
from core.present.report.build_heat import heat_blocks, noise_blocks, slots_text
from core.present.report.build_power import LOADS, energy_blocks, power_blocks, throttled_blocks
from core.present.report.build_prediction import price_blocks
from core.present.report.build_speed import NETWORKS, speed_blocks
from core.present.report.document import Block, Heading, Illustration, KeyValues, Paragraph, Table
from core.present.report.formatting import named
from core.words import joined, tr
from gui.guide.terms import TermButton, explained_heading
from gui.planner.document import PlanDocument
from gui.predict.band_chart import BandChart
from gui.predict.chart_picture import BandCurve, ChartPicture
from gui.predict.figures_model import mark_words
from gui.predict.figures_view import FiguresView
from gui.predict.panel import SPACING, Panel
from gui.widgets.form import column_of
from gui.widgets.text import heading, muted, sentence

Kind = tuple[str, str]
"""What a widget shows, so that it can show the next of its kind: tables by name, headings by text."""


class TopicPanel(Panel):
    """A topic from the top: its first paragraph is the lead, its own heading is the section that was chosen."""

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(document, parent)
        self.chosen: dict[str, Hashable] = {}
        """The rows that were chosen, by the table's name."""
        self._widgets: list[tuple[Kind, QWidget]] = []
        self._lines = column_of(spacing=SPACING)
        self.body.addLayout(self._lines)
        self.add_charts()
        self.body.addStretch(1)

    def blocks(self) -> Iterable[Block]:
        """The topic for what is chosen."""
        raise NotImplementedError

    def add_charts(self) -> None:
        """What stands below the blocks."""

    def refresh(self) -> None:
        """Shows the blocks, in the widgets that are there where they are of the same kind."""
        shown = [block for block in self.blocks() if not (isinstance(block, Heading) and block.level == 1)]
        lead = shown.pop(0)
        self.lead.setText(_words(lead))
        if marks := mark_words(shown):
            shown.append(Paragraph(marks, quiet=True))
        build, before = self.document.build, [widget for _, widget in self._widgets]
        spare: dict[Kind, list[QWidget]] = defaultdict(list)
        for kind, widget in self._widgets:
            spare[kind].append(widget)
        self._widgets = []
        for block in shown:
            kind = _kind(block)
            widget = spare[kind].pop(0) if spare[kind] else self._make(block)
            self._widgets.append((kind, widget))
            _fill(widget, block, build)
            if isinstance(widget, FiguresView) and widget.key is None and kind[1] in self.chosen:
                widget.choose(self.chosen[kind[1]])
        for unused in (widget for widgets in spare.values() for widget in widgets):
            unused.hide()
            unused.deleteLater()
        after = [widget for _, widget in self._widgets]
        if after != before:
            for moved in before:
                self._lines.removeWidget(moved)
            for placed in after:
                self._lines.addWidget(placed)
            for upper, lower in pairwise((self.content, *_tab_stops(after))):
                self.setTabOrder(upper, lower)

    def table(self, name: str) -> FiguresView:
        """The table with that name. Raises KeyError where the topic has none."""
        return {kind[1]: widget for kind, widget in self._widgets if isinstance(widget, FiguresView)}[name]

    def texts(self) -> str:
        """All sentences and headings, a line each."""
        return "\n".join(widget.text() for _, widget in self._widgets if isinstance(widget, QLabel))

    def _make(self, block: Block) -> QWidget:
        match block:
            case Table() | Illustration(figures=Table()):
                view = FiguresView(_kind(block)[1], self.content)
                view.chosen.connect(partial(self._choose, view.accessibleName()))
                return view
            case Heading(text, _, term):
                return explained_heading(text, term, self.content) if term else heading(text, self.content)
            case Paragraph(quiet=True):
                return muted(self.content)
            case _:
                return sentence(self.content)

    def _choose(self, name: str, key: Hashable) -> None:
        if self.chosen.get(name) != key:
            self.chosen[name] = key
            self.refresh()


def _kind(block: Block) -> Kind:
    match block:
        case Table(rows=()):
            return "sentence", ""
        case Table():
            return "table", block.name
        case Illustration(figures=Table() as figures):
            return "table", figures.name
        case Heading(text, _, term):
            return "heading", text if term else ""
        case Paragraph(quiet=True):
            return "note", ""
        case _:
            return "sentence", ""


def _fill(widget: QWidget, block: Block, build: Build) -> None:
    table = block.figures if isinstance(block, Illustration) else block
    if isinstance(widget, FiguresView) and isinstance(table, Table):
        widget.show_table(table, build)
    elif isinstance(widget, QLabel):
        widget.setText(_words(block))


def _tab_stops(widgets: Iterable[QWidget]) -> Iterator[QWidget]:
    for widget in widgets:
        for stop in (widget, *widget.findChildren(TermButton)):
            if stop.focusPolicy() & Qt.FocusPolicy.TabFocus:
                yield stop


def _words(block: Block) -> str:
    match block:
        case KeyValues(rows):
            return joined((named(name, value) for name, value in rows), "\n")
        case Table():
            return block.empty
        case Heading(text) | Paragraph(text):
            return text
        case Illustration(alt=alt):
            return alt


class PowerPanel(TopicPanel):
    """The chosen row of the upper table says of which load the lower one tells."""

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(document, parent)
        self.chosen[LOADS] = (LoadCase.TRAINING, False)

    def blocks(self) -> Iterable[Block]:
        load, at_limits = self._chosen_load()
        return power_blocks(self.assessment, load, at_limits=at_limits)

    def refresh(self) -> None:
        """A load that has no limits any more is shown without."""
        load, at_limits = self._chosen_load()
        self.chosen[LOADS] = (load, at_limits and load in self.assessment.prediction.at_limits)
        super().refresh()

    def _chosen_load(self) -> tuple[LoadCase, bool]:
        key = self.chosen[LOADS]
        return key if isinstance(key, tuple) else (LoadCase.TRAINING, False)


class TemperaturePanel(TopicPanel):
    """With the cards that heat holds back, and a chart of the first hours."""

    def lack(self) -> str:
        """Without cards, processors and fans nothing gets warm."""
        return super().lack() or ("" if self.blocks() else tr("No card's temperature is predicted."))

    def blocks(self) -> list[Block]:
        blocks = list(heat_blocks(self.assessment))
        blocks[2:2] = throttled_blocks(self.assessment.prediction)
        return blocks

    def add_charts(self) -> None:
        """How the cards warm up."""
        self.warm_up = BandChart(tr("Warm-up after a cold start"), self)
        self._above_chart = heading(tr("Over time"), self)
        self.body.addWidget(self._above_chart)
        self.body.addWidget(self.warm_up)

    def refresh(self) -> None:
        """Blocks and chart."""
        super().refresh()
        for widget in (self._above_chart, self.warm_up):
            widget.setVisible(bool(self.assessment.prediction.heat.cards))
        self.warm_up.show_picture(self._warm_up())

    def _warm_up(self) -> ChartPicture:
        """Cards that warm up alike are one curve."""
        alike: dict[tuple[tuple[float, ...], ...], list[int | None]] = {}
        for curve in over_time(self.assessment.prediction):
            key = (curve.minutes, curve.low_c, curve.expected_c, curve.high_c)
            alike.setdefault(key, []).append(curve.slot)
        return ChartPicture(
            tuple(
                BandCurve(slots_text(tuple(slots)), minutes, expected, low, high, series)
                for series, ((minutes, low, expected, high), slots) in enumerate(alike.items())
            ),
            "°C",
            tr("minutes"),
        )


class NoisePanel(TopicPanel):
    """Levels are at the listener's distance that the room settings give."""

    def blocks(self) -> Iterable[Block]:
        return noise_blocks(self.assessment)


class EnergyPanel(TopicPanel):
    """Money for energy in whatever currency the tariff is in; money for parts in the one that is shown."""

    def blocks(self) -> Iterator[Block]:
        _, *energy = energy_blocks(self.assessment)
        yield from energy
        yield from price_blocks(self.assessment)


class SpeedPanel(TopicPanel):
    """The chosen network of the upper table is told card by card below."""

    def lack(self) -> str:
        """Without a GPU there is no speed."""
        if not self.document.build.count(Category.GPU):
            return tr("The build has no GPU. Once it has one, this shows how fast its cards train.")
        return ""

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(document, parent)
        self.chosen[NETWORKS] = Network.CNN

    def blocks(self) -> Iterable[Block]:
        key = self.chosen[NETWORKS]
        return speed_blocks(self.assessment, key if isinstance(key, Network) else Network.CNN)
