"""The report of a planned machine: its parts, what the rules find, what it will draw, how warm and how loud it will
be.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from core.assessment import Assessment
from core.plan.build import Build
from core.plan.file import dump_build
from core.plan.line_words import gpu_words
from core.plan.missing import absent_categories
from core.predict.conditions import LoadCase
from core.predict.thermal.heat import THROTTLED, CardHeat
from core.present.report.build_connections import picture_blocks, placement_blocks, wiring_blocks
from core.present.report.build_findings import (
    NOT_CHECKED,
    build_badge,
    findings_blocks,
    passed_blocks,
    unchecked_blocks,
)
from core.present.report.build_heat import loudness, room_text
from core.present.report.build_parts import evidence_blocks, parts_blocks, source_blocks
from core.present.report.build_prediction import assumption_blocks, prediction_blocks, price_facts
from core.present.report.document import Block, Document, Heading, KeyValues, Paragraph, Tone
from core.present.report.formatting import band_text, commas, semicolons, utc_now
from core.rules.engine import counts_words, not_checked
from core.version import __version__
from core.words import tr, trn
from core.words.units import quantity

NOT_SEALED = tr("Not sealed: made from a plan. It proves nothing of a machine.")


def build_document(assessment: Assessment) -> Document:
    """The report of a build."""
    build = assessment.build
    return Document(
        kind="build",
        title=build.name,
        subtitle=tr("Build report: parts, findings and predictions"),
        generated_at=utc_now(),
        version=__version__,
        simulated=False,
        badge=build_badge(build, assessment.findings),
        blocks=tuple(_blocks(assessment)),
        data={"seal": {"state": "not sealed", "why": NOT_SEALED}} | _data(assessment),
    )


def _blocks(assessment: Assessment) -> Iterator[Block]:
    build, findings = assessment.build, assessment.findings
    yield Paragraph(NOT_SEALED, Tone.NOTE)
    yield KeyValues(tuple(_facts(assessment)))
    if build.notes.strip():
        yield Heading(tr("Notes"), 2)
        yield Paragraph(build.notes.strip())
    yield from findings_blocks(build, findings)
    yield from prediction_blocks(assessment)
    yield from parts_blocks(build, assessment.guide)
    yield from picture_blocks(assessment)
    yield from placement_blocks(assessment)
    yield from wiring_blocks(assessment)
    yield from unchecked_blocks(build, findings)
    yield from assumption_blocks(assessment)
    yield from passed_blocks(build, findings)
    yield from evidence_blocks(build)
    yield from source_blocks(build)


def _facts(assessment: Assessment) -> Iterator[tuple[str, str]]:
    build, findings, prediction = assessment.build, assessment.findings, assessment.prediction
    yield tr("Region"), _circuits_text(build)
    parts = sum(line.quantity for line in build.lines)
    yield tr("Parts"), tr("{parts} in {lines} lines", parts=parts, lines=len(build.lines))
    if gpus := gpu_words(build):
        yield "GPUs", gpus
    yield from price_facts(assessment)
    wall = prediction.wall_w[LoadCase.TRAINING]
    noise = loudness(prediction.noise_load)
    yield tr("In training"), tr("{power} at the wall; {noise}", power=band_text(wall), noise=noise)
    yield (
        tr("Electrical worst case"),
        tr("{power} at the wall, CPU and GPU at their limits", power=band_text(prediction.worst_case.wall_w)),
    )
    if prediction.throttled:
        yield tr("Held back by heat"), semicolons(held.sentence for held in prediction.throttled)
    if prediction.heat.hottest is not None:
        room = room_text(prediction.conditions)
        hottest = _hottest_text(prediction.heat.hottest)
        yield tr("Hottest GPU"), tr("{temperature}; room at {room}", temperature=hottest, room=room)
    yield tr("Findings"), counts_words(findings)
    if unchecked := len(not_checked(findings)):
        fields = {"count": unchecked, "heading": NOT_CHECKED}
        yield tr("Not checked"), trn("{count} question; see {heading}", "{count} questions; see {heading}", **fields)
    if absent := absent_categories(build):
        yield tr("Still missing"), commas(category.label for category in absent)


def _hottest_text(card: CardHeat) -> str:
    words: str = tr("{temperature} in training", temperature=band_text(card.temperature_c))
    if card.slot is not None:
        words = tr("{temperature}, slot {slot}", temperature=words, slot=card.slot)
    if card.kept_share < THROTTLED:
        held = tr("throttles to {share:.0f} % of its power", share=100 * card.kept_share)
        words = semicolons((words, held))
    return words


def _circuits_text(build: Build) -> str:
    """The kind of circuit, how many, and what else draws from them."""
    count = len(build.other_loads_w)
    several = build.circuit.title
    if count > 1:
        several = tr("{count} circuits, {circuit}", count=count, circuit=build.circuit.title)
    taken = [
        tr("{power} already used on circuit {number}", power=quantity(watts, "W"), number=number)
        if count > 1
        else tr("{power} already used", power=quantity(watts, "W"))
        for number, watts in enumerate(build.other_loads_w, start=1)
        if watts
    ]
    return semicolons([several, *taken])


def _data(assessment: Assessment) -> dict[str, Any]:
    """`build` is the text of a build file: it can be opened again."""
    return {
        "build": json.loads(dump_build(assessment.build)),
        "findings": [finding.as_dict() for finding in assessment.findings],
        "not_checked": [finding.as_dict() for finding in not_checked(assessment.findings)],
        "prediction": assessment.prediction.as_dict(),
        "price": assessment.price.as_dict(),
        "budget": assessment.budget.as_dict() if assessment.budget else None,
        "speed": assessment.speed.as_dict(),
    }
