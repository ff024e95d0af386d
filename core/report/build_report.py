"""The report of a planned machine: its parts, what the rules find, what it will draw, how warm and how loud it will
be.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from core.assessment import Assessment
from core.build.build import Build
from core.build.file import dump_build
from core.build.missing import absent_categories
from core.predict.conditions import LoadCase
from core.predict.thermal.heat import THROTTLED, CardHeat
from core.report.build_connections import picture_blocks, placement_blocks, wiring_blocks
from core.report.build_findings import (
    NOT_CHECKED,
    build_badge,
    counts_text,
    findings_blocks,
    passed_blocks,
    unchecked_blocks,
)
from core.report.build_parts import evidence_blocks, parts_blocks, source_blocks
from core.report.build_prediction import (
    assumption_blocks,
    heat_blocks,
    noise_blocks,
    power_blocks,
    room_text,
)
from core.report.document import Block, Document, Heading, KeyValues, Paragraph
from core.report.formatting import band_text, utc_now
from core.rules.engine import not_checked
from core.units import quantity
from core.version import __version__


def build_document(known: Assessment) -> Document:
    """The report of a build."""
    build = known.build
    return Document(
        kind="build",
        title=build.name,
        subtitle="Build report: parts, findings and predictions",
        generated_at=utc_now(),
        version=__version__,
        simulated=False,
        badge=build_badge(build, known.findings),
        blocks=tuple(_blocks(known)),
        data=_data(known),
    )


def _blocks(known: Assessment) -> Iterator[Block]:
    build, findings, prediction = known.build, known.findings, known.prediction
    yield KeyValues(tuple(_facts(known)))
    if build.notes.strip():
        yield Heading("Notes", 2)
        yield Paragraph(build.notes.strip())
    yield from findings_blocks(build, findings)
    yield from power_blocks(build, prediction)
    yield from heat_blocks(prediction)
    yield from noise_blocks(prediction)
    yield from parts_blocks(build, known.guide)
    yield from picture_blocks(known)
    yield from placement_blocks(known)
    yield from wiring_blocks(known)
    yield from unchecked_blocks(build, findings)
    yield from assumption_blocks(build, prediction)
    yield from passed_blocks(build, findings)
    yield from evidence_blocks(build)
    yield from source_blocks(build)


def _facts(known: Assessment) -> Iterator[tuple[str, str]]:
    build, findings, prediction = known.build, known.findings, known.prediction
    yield "Region", _circuits_text(build)
    yield "Parts", f"{sum(line.quantity for line in build.lines)} in {len(build.lines)} lines"
    yield "Price", _price_text(known)
    wall, loud = prediction.wall_w[LoadCase.TRAINING], prediction.noise_load
    yield "In training", f"{band_text(wall)} at the wall; {band_text(loud)}, {prediction.noise_load_word}"
    yield "Electrical worst case", f"{band_text(prediction.worst_case.wall_w)} at the wall, CPU and GPU at their limits"
    if prediction.throttled:
        yield "Held back by heat", "; ".join(held.sentence for held in prediction.throttled)
    if prediction.heat.hottest is not None:
        room = room_text(prediction.conditions)
        yield "Hottest GPU", f"{_hottest_text(prediction.heat.hottest)}; room of {room}"
    yield "Findings", counts_text(findings)
    if unchecked := len(not_checked(findings)):
        yield "Not checked", f"{unchecked} question{'s' if unchecked != 1 else ''}; see {NOT_CHECKED}"
    if absent := absent_categories(build):
        yield "Still missing", ", ".join(category.label for category in absent)


def _price_text(known: Assessment) -> str:
    price = known.price
    return "\n".join(filter(None, (price.words, *price.basis)))


def _hottest_text(card: CardHeat) -> str:
    kept = f"; its driver leaves it {100 * card.kept_share:.0f} % of its power" if card.kept_share < THROTTLED else ""
    where = "" if card.slot is None else f", slot {card.slot}"
    return f"{band_text(card.temperature_c)} in training{where}{kept}"


def _circuits_text(build: Build) -> str:
    """The kind of circuit, how many, and what else draws from them."""
    count = len(build.other_loads_w)
    several = f"{count} circuits, {build.circuit.title}" if count > 1 else build.circuit.title
    taken = [
        f"{quantity(watts, 'W')} taken{f' on circuit {number}' if count > 1 else ''}"
        for number, watts in enumerate(build.other_loads_w, start=1)
        if watts
    ]
    return "; ".join([several, *taken])


def _data(known: Assessment) -> dict[str, Any]:
    """`build` is the text of a build file: it can be opened again."""
    return {
        "build": json.loads(dump_build(known.build)),
        "findings": [finding.as_dict() for finding in known.findings],
        "not_checked": [finding.as_dict() for finding in not_checked(known.findings)],
        "prediction": known.prediction.as_dict(),
        "price": known.price.as_dict(),
    }
