"""Edits of prices: what the user pays for parts of this build."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.build.build import Build
from core.build.edits import LinesEdit, require_line, with_line
from core.build.line import Line
from core.language import tr
from core.parts.own import Correction, corrected
from core.parts.part import Price


@dataclass(frozen=True, slots=True)
class SetPrices(LinesEdit):
    """Gives parts of the build prices of the user's own, for one of each; None takes a price away."""

    prices: tuple[tuple[str, Price | None], ...]
    """By part id."""

    @property
    def title(self) -> str:
        if len(self.prices) == 1:
            return tr("Set the price of {part_id}", part_id=self.prices[0][0])
        return tr("Set {number} prices", number=len(self.prices))

    def apply(self, build: Build) -> Build:
        for part_id, price in self.prices:
            build = with_line(build, _priced(require_line(build, part_id), price))
        return build


def _priced(line: Line, price: Price | None) -> Line:
    if price == line.part.price:
        return line
    if price is None:
        return replace(line, part=line.part.model_copy(update={"price": None}))
    return replace(line, part=corrected(line.part, Correction(price=price)))
