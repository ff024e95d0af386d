"""Everything known about a part: its figures, how well each is supported, and where it was read."""

from __future__ import annotations

from html import escape

from pydantic import BaseModel
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from core.parts.part import Evidence, Part
from gui.planner.figures import number, price
from gui.theme import theme


class PartCard(QDialog):
    """A table of figures; unknown ones are listed too, because a gap is worth knowing."""

    def __init__(self, part: Part, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._part = part
        self.setWindowTitle(part.title)
        self.resize(640, 560)
        self.text = QTextBrowser(self)
        self.text.setOpenExternalLinks(True)
        self.text.setAccessibleName(self.tr("Figures and sources of {part}").format(part=part.title))
        self.text.setHtml(self._html())
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.addWidget(self.text, 1)
        column.addWidget(buttons)

    def _html(self) -> str:
        part = self._part
        rows = "".join(self._row(field) for field in type(part.spec).model_fields if field != "category")
        facts = [part.category.label, str(part.year or ""), price(part.price), ", ".join(part.part_numbers)]
        sources = "".join(
            f"<li>{escape(source.title)}"
            + (f'<br><a href="{escape(source.url)}">{escape(source.url)}</a>' if source.url else "")
            + "</li>"
            for source in part.sources
        )
        note = f"<p>{escape(part.note)}</p>" if part.note else ""
        return (
            f"<h3>{escape(part.title)}</h3><p>{escape(' · '.join(filter(None, facts)))}</p>{note}"
            f"<table cellspacing='0' cellpadding='3' width='100%'>{rows}</table>"
            f"<h4>{escape(self.tr('Sources'))}</h4><ul>{sources}</ul>"
        )

    def _row(self, field: str) -> str:
        evidence = self._part.evidence(field)
        colour = theme().color({Evidence.CONFIRMED: "pass", Evidence.UNCONFIRMED: "warn"}.get(evidence, "unknown"))
        words = {
            Evidence.CONFIRMED: self.tr("confirmed"),
            Evidence.UNCONFIRMED: self.tr("unconfirmed"),
            Evidence.UNKNOWN: self.tr("unknown"),
        }
        name = escape(field.replace("_", " "))
        value = escape(_shown(getattr(self._part.spec, field)))
        return (
            f"<tr><td>{name}</td><td>{value}</td><td><font color='{colour.name()}'>{words[evidence]}</font></td></tr>"
        )


def _shown(value: object) -> str:
    if value is None:
        return "?"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return number(value)
    if isinstance(value, BaseModel):
        return ", ".join(f"{key} {_shown(item)}" for key, item in value if item not in (None, (), False))
    if isinstance(value, (tuple, list)):
        return "; ".join(_shown(item) for item in value) or "–"
    if isinstance(value, dict):
        return ", ".join(f"{key} {item}" for key, item in value.items())
    return str(value)
