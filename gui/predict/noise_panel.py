"""How loud the machine is, alone and in the room, what makes the noise, and what to change first."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from core.language import tr
from core.predict.band import Band
from core.predict.noise.noise import NoiseSource, shares
from gui.figures import number
from gui.planner.document import PlanDocument
from gui.predict.figures_model import FigureCell, FigureColumn
from gui.predict.figures_view import FiguresView
from gui.predict.panel import Panel
from gui.predict.prediction_words import band_cell, figure, listed, loudness, mark_words, nothing_cell, tip_of
from gui.widgets.text import heading, muted, sentence

SILENT_DBA = 0.5
"""A level that is written as none."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the level is heard, and how loud it is there."""

    title: str
    where: str
    idle: Band
    load: Band


@dataclass(frozen=True, slots=True)
class _Share:
    """A source, and its share of the sound energy in training."""

    source: NoiseSource
    of_all: float


class NoisePanel(Panel):
    """Levels are at the listener's distance that the room settings give."""

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(document, parent)
        self.levels = FiguresView(
            tr("Noise of the machine"),
            (
                FigureColumn(tr("Where"), lambda place: FigureCell(place.title, place.where), words=True),
                FigureColumn(tr("Idle,\ndBA"), lambda place: band_cell(self.document.build, place.idle)),
                FigureColumn(tr("Training,\ndBA"), lambda place: band_cell(self.document.build, place.load)),
                FigureColumn(
                    tr("In words,\ntraining"), lambda place: FigureCell(loudness(place.load.expected)), words=True
                ),
            ),
            lambda place: place.title,
            self,
        )
        self.sources = FiguresView(
            tr("Noise by source"),
            (
                FigureColumn(tr("Source"), self._title, words=True),
                FigureColumn(tr("Qty"), lambda share: FigureCell(str(share.source.count))),
                FigureColumn(tr("Share"), _bar, tr("Of the sound energy in training"), words=True),
                FigureColumn("%", lambda share: FigureCell(number(round(100 * share.of_all)), order=share.of_all)),
                FigureColumn(tr("Idle,\ndBA"), lambda share: self._heard(share.source.idle)),
                FigureColumn(tr("Training,\ndBA"), lambda share: self._heard(share.source.load)),
            ),
            lambda share: (share.source.part_id, share.source.title),
            self,
        )
        self.first = sentence(self)
        self.tones = sentence(self)
        self._heads = {
            self.first: heading(tr("What to change first"), self),
            self.tones: heading(tr("Tonal noise, more annoying than its level suggests"), self),
        }
        self._by_source = heading(tr("By source"), self)
        self._note = muted(self)
        for widget in (self.levels, self._by_source, self.sources, self._note):
            self.body.addWidget(widget)
        for label, head in self._heads.items():
            self.body.addWidget(head)
            self.body.addWidget(label)
        self.body.addStretch(1)

    def refresh(self) -> None:
        """Tables and lists."""
        prediction = self.assessment.prediction
        self.lead.setText(
            tr(
                "In training {level} at {distance} m from the machine: {word}.",
                level=figure(prediction.noise_load),
                distance=number(prediction.conditions.distance_m),
                word=loudness(prediction.noise_load.expected),
            )
        )
        self.levels.show_items(self._places())
        known = prediction.sources
        self.sources.show_items([_Share(source, part) for source, part in zip(known, shares(known), strict=True)])
        for widget in (self._by_source, self.sources):
            widget.setVisible(bool(known))
        for label, lines in ((self.first, prediction.quieter), (self.tones, prediction.tonal_risks)):
            label.setText(listed(lines))
            label.setVisible(bool(lines))
            self._heads[label].setVisible(bool(lines))
        self._note.setText(mark_words(band for source in known for band in (source.idle, source.load)))
        self._note.setVisible(bool(self._note.text()))

    def _places(self) -> tuple[_Place, ...]:
        prediction = self.assessment.prediction
        given = prediction.conditions
        free = tr("at {distance} m, without reflections", distance=number(given.distance_m))
        room = tr("with {background} dBA of background noise", background=number(given.background_dba))
        if given.room_volume_m3 is not None:
            room = tr("{room} and the reflections of its walls", room=room)
        return (
            _Place(tr("Free field"), free, prediction.noise_idle, prediction.noise_load),
            _Place(tr("In the room"), room, prediction.noise_idle_in_room, prediction.noise_load_in_room),
        )

    def _title(self, share: _Share) -> FigureCell:
        return FigureCell(share.source.title, tip=tip_of(self.document.build, share.source.load))

    def _heard(self, level: Band) -> FigureCell:
        if level.high < SILENT_DBA:
            return nothing_cell(tr("It makes no noise."))
        return band_cell(self.document.build, level)


def _bar(share: _Share) -> FigureCell:
    return FigureCell("", bar=(share.of_all, share.of_all, share.of_all), order=share.of_all)
