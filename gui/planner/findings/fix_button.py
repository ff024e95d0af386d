"""One fix as a button: what it changes, and below it what that costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, Signal, Slot
from PySide6.QtGui import QFont, QResizeEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from gui.planner.figures import money, number, span
from gui.theme import theme
from gui.widgets.text import tip

if TYPE_CHECKING:
    from core.advise.fix import Fix

translate = QCoreApplication.translate
BESIDE_TEXT = 24
"""What a button needs at the sides of icon and text."""


class FixButton(QPushButton):
    """`applied` carries the edit. The whole text stands in the tooltip, and is spoken."""

    applied = Signal(object)

    def __init__(self, fix: Fix, parent: QWidget | None = None) -> None:
        super().__init__(theme().icon("fix"), "", parent)
        self._edit = fix.edit
        self._lines = [fix.title, *filter(None, [cost_words(fix)])]
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setStyleSheet("text-align: left; padding: 4px 8px")
        whole = "\n".join([fix.title, *_details(fix), self.tr("Undo takes it back.")])
        self.setAccessibleName(". ".join(self._lines))
        self.setAccessibleDescription(whole)
        self.setToolTip(tip(whole))
        self.clicked.connect(self._apply)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Breaks the title over as many lines as it needs in the room there is."""
        super().resizeEvent(event)
        self._break()

    def changeEvent(self, event: QEvent) -> None:
        """Another font needs other lines."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._break()

    def _break(self) -> None:
        room = self.width() - self.iconSize().width() - BESIDE_TEXT
        lines = [broken for line in self._lines for broken in broken_lines(line, self.font(), room)]
        self.setText("\n".join(lines).replace("&", "&&"))
        self.setFixedHeight(len(lines) * self.fontMetrics().height() + 14)

    @Slot()
    def _apply(self) -> None:
        self.applied.emit(self._edit)


def broken_lines(text: str, font: QFont, room: int) -> list[str]:
    """The text in lines of at most `room` pixels, broken between words where that is possible."""
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    layout.beginLayout()
    found = []
    while (line := layout.createLine()).isValid():
        line.setLineWidth(max(room, 1))
        found.append(text[line.textStart() : line.textStart() + line.textLength()].strip())
    layout.endLayout()
    return found


def cost_words(fix: Fix) -> str:
    """What it costs and brings, in a line: speed, watts, noise, money, and how many rules are less content."""
    words = []
    if fix.speed is not None:
        words.append(translate("Fixes", "{share} % of the speed").format(share=number(round(100 * fix.speed.expected))))
    if fix.wall_w is not None:
        more = translate("Fixes", "{watts} W more at the wall")
        less = translate("Fixes", "{watts} W less at the wall")
        words.append((more if fix.wall_w > 0 else less).format(watts=number(round(abs(fix.wall_w)))))
    if fix.noise_db is not None:
        louder, quieter = translate("Fixes", "{level} dB louder"), translate("Fixes", "{level} dB quieter")
        words.append((louder if fix.noise_db > 0 else quieter).format(level=number(round(abs(fix.noise_db)))))
    if fix.price is not None:
        sign = "+" if fix.price.amount >= 0 else "\N{MINUS SIGN}"
        words.append(f"{sign}{money(abs(fix.price.amount), fix.price.currency)}")
    elif fix.buys:
        words.append(translate("Fixes", "price unknown"))
    if fix.eased:
        words.append(translate("Fixes", "a warning remains"))
    if fix.brings:
        words.append(translate("Fixes", "new warnings: {count}").format(count=len(fix.brings)))
    return ", ".join(words)


def _details(fix: Fix) -> list[str]:
    lines = []
    if fix.speed is not None:
        percent = fix.speed.times(100)
        lines.append(translate("Fixes", "Speed of training: {share} % of that before").format(share=span(percent)))
    if fix.buys:
        lines.append(translate("Fixes", "To buy: {parts}").format(parts=", ".join(fix.buys)))
    if fix.brings:
        lines.append(translate("Fixes", "New: {sentences}").format(sentences=" ".join(fix.brings)))
    if fix.remains:
        lines.append(translate("Fixes", "Findings that remain: {count}").format(count=len(fix.remains)))
    return lines
