"""How loud the machine is, alone and in the room, what makes the noise, and what to change first."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from core.predict.band import Band
from core.predict.noise.noise import NoiseSource, shares
from gui.planner.document import PlanDocument
from gui.planner.figures import number
from gui.predict.figures_model import Cell, FigureRow, FiguresModel, Heading
from gui.predict.figures_view import FiguresView
from gui.predict.panel import Panel
from gui.predict.prediction_words import band_cell, figure, listed, loudness, mark_words, nothing_cell, tip_of
from gui.widgets.text import heading, muted, sentence

SILENT_DBA = 0.5
"""A level that is written as none."""


class NoisePanel(Panel):
    """Levels are at the listener's distance that the room settings give."""

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(document, parent)
        self.levels = FiguresView(
            FiguresModel(
                (
                    Heading(self.tr("Where"), words=True),
                    Heading(self.tr("Idle,\ndBA")),
                    Heading(self.tr("Training,\ndBA")),
                    Heading(self.tr("In words,\ntraining"), words=True),
                ),
                self,
            ),
            self.tr("Noise of the machine"),
            self,
        )
        self.sources = FiguresView(
            FiguresModel(
                (
                    Heading(self.tr("Source"), words=True),
                    Heading(self.tr("Qty")),
                    Heading(self.tr("Share"), self.tr("Of the sound energy in training"), words=True),
                    Heading("%"),
                    Heading(self.tr("Idle,\ndBA")),
                    Heading(self.tr("Training,\ndBA")),
                ),
                self,
            ),
            self.tr("Noise by source"),
            self,
        )
        self.first = sentence(self)
        self.tones = sentence(self)
        self._heads = {
            self.first: heading(self.tr("What to change first"), self),
            self.tones: heading(self.tr("Tones that annoy more than their level says"), self),
        }
        self._by_source = heading(self.tr("By source"), self)
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
            self.tr("In training {level} at {distance} m from the machine: {word}.").format(
                level=figure(prediction.noise_load),
                distance=number(prediction.conditions.distance_m),
                word=loudness(prediction.noise_load.expected),
            )
        )
        self.levels.figures.show_rows(self._levels())
        known = prediction.sources
        self.sources.figures.show_rows(
            [self._source(source, share) for source, share in zip(known, shares(known), strict=True)]
        )
        for widget in (self._by_source, self.sources):
            widget.setVisible(bool(known))
        for label, lines in ((self.first, prediction.quieter), (self.tones, prediction.tonal_risks)):
            label.setText(listed(lines))
            label.setVisible(bool(lines))
            self._heads[label].setVisible(bool(lines))
        self._note.setText(mark_words(band for source in known for band in (source.idle, source.load)))
        self._note.setVisible(bool(self._note.text()))

    def _levels(self) -> list[FigureRow]:
        prediction = self.assessment.prediction
        given = prediction.conditions
        free = self.tr("at {distance} m, nothing thrown back").format(distance=number(given.distance_m))
        room = self.tr("with {background} dBA of the room itself").format(background=number(given.background_dba))
        if given.room_volume_m3 is not None:
            room = self.tr("{room} and what its walls throw back").format(room=room)
        return [
            self._level("free", self.tr("Free field"), free, prediction.noise_idle, prediction.noise_load),
            self._level(
                "room", self.tr("In the room"), room, prediction.noise_idle_in_room, prediction.noise_load_in_room
            ),
        ]

    def _level(self, key: str, title: str, where: str, idle: Band, load: Band) -> FigureRow:
        build = self.document.build
        word = Cell(loudness(load.expected))
        return FigureRow(key, (Cell(title, where), band_cell(build, idle), band_cell(build, load), word))

    def _source(self, source: NoiseSource, share: float) -> FigureRow:
        build = self.document.build
        cells = (
            Cell(source.title, tip=tip_of(build, source.load)),
            Cell(str(source.count)),
            Cell("", bar=(share, share, share), order=share),
            Cell(number(round(100 * share)), order=share),
            self._heard(source.idle),
            self._heard(source.load),
        )
        return FigureRow((source.part_id, source.title), cells)

    def _heard(self, level: Band) -> Cell:
        if level.high < SILENT_DBA:
            return nothing_cell(self.tr("It makes no noise."))
        return band_cell(self.document.build, level)
