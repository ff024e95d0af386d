"""A certificate as the plain values that its template shows: texts in one language, colours, icons."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from core.asbuilt.as_built import LineSubject
from core.burnin.record.rows import Outcome
from core.burnin.verdict.causes import Cause
from core.certificate.certificate import CardRow, Certificate, NotRun
from core.certificate.comparison import Agreement, PlanRow
from core.certificate.labels import FACTS, PAGE_WORDS, measured_words
from core.certificate.letterhead import Letterhead
from core.language import clause, english, joined, tr, translated, trc, trn
from core.language.ranges import over, shape
from core.report.document import Block, Cell, Paragraph, ReportColumn, Tone, table
from core.report.formatting import both, commas, duration, named, semicolons, stamp, utc_now
from core.report.palette import OUTCOME_BADGE, TONE_COLOUR, TONE_ICON
from core.report.run_seal import not_proven, qr_svg
from core.report.statement import profile_words
from core.report.values import block_values, cleaned_values, language_values, page_words
from core.units import quantity
from core.version import __version__

MOST_CAUSES = 12
"""On the page of reasons."""
MOST_PASSED = 44
"""Reasons that passed: with the causes a page."""
_TONE_OF = {
    Agreement.SAME: Tone.PASS,
    Agreement.DIFFERENT: Tone.FAIL,
    Agreement.NOTED: Tone.NOTE,
    Agreement.UNKNOWN: Tone.UNKNOWN,
}
_UNKNOWN = "–"


def certificate_values(found: Certificate, letterhead: Letterhead, annex: tuple[Block, ...] = ()) -> dict[str, Any]:
    """Everything that the template reads, in the language that is spoken."""
    run = found.record.run
    values = {
        **language_values(),
        "words": {**PAGE_WORDS, "title": _title(found), "page": page_words(), "seal": _seal_line(found)},
        "version": __version__,
        "made": stamp(utc_now()),
        "number": f"{run.started_at[:10]}-{run.id}",
        "simulated": run.simulated,
        "colours": {tone.value: colour for tone, colour in TONE_COLOUR.items()},
        "verdict": _verdict(found.outcome),
        "cause": joined(filter(None, (not_proven(found.seal), _cause(found)))),
        "facts": [list(fact) for fact in _facts(found)],
        "cards": [_card(card) for card in found.cards],
        "planned": found.planned,
        "plan": [_plan_row(row) for row in found.plan],
        "ran": list(_ran(found)),
        "not-run": list(_not_run(found)),
        "seal": _seal(found),
        "statement": found.statement.line,
        "figures": [block_values(figure) for figure in found.figures],
        "reasons": [block_values(block) for block in _reasons(found)],
        "annex": [block_values(block) for block in annex],
    }
    cleaned: dict[str, Any] = cleaned_values(values)
    return cleaned | {"letterhead": _letterhead(letterhead)}


def _title(found: Certificate) -> str:
    """A card that passed is no certificate of its machine, which may have failed under the same number."""
    return tr("Record of one card, not of the machine") if found.statement.card else PAGE_WORDS["title"]


def _verdict(outcome: Outcome | None, *, short: bool = False) -> dict[str, str]:
    tone = OUTCOME_BADGE[outcome].tone if outcome else Tone.UNKNOWN
    text: str = tr("NONE") if short else tr("NO VERDICT")
    if outcome:
        text = outcome.badge if short else outcome.stamp
    return {"text": text, "icon": TONE_ICON[tone], "colour": TONE_COLOUR[tone]}


def _cause(found: Certificate) -> str:
    """In one sentence: the gravest cause, or that there is none."""
    if found.outcome is None:
        return tr("The run has no verdict.")
    if found.causes:
        first, more = found.causes[0], len(found.causes) - 1
        rest = tr("{count} more on page 3.", count=more) if more else ""
        return joined((first.text, _where(first, found), first.action, rest))
    return trn(
        "The card passed every stage that ran: {checks:,} results checked, none wrong.",
        "All {count} devices passed every stage that ran: {checks:,} results checked, none wrong.",
        count=len(found.cards),
        checks=found.checks,
    )


def _where(cause: Cause, found: Certificate) -> str:
    """Which slot to look into, in a sentence."""
    slots = {card.device_id: card.slot for card in found.cards}
    known = [slot for device in cause.devices if (slot := slots.get(device))]
    if not known:
        return ""
    return trn("It sits in slot {slots}.", "They sit in slots {slots}.", slots=commas(known), count=len(known))


def _facts(found: Certificate) -> Iterator[tuple[str, str]]:
    facts, run, not_told = found.facts, found.record.run, tr("not given")
    versions = found.versions
    yield tr("Customer"), facts.customer or not_told
    yield trc("of a customer", "Order"), facts.order or not_told
    yield tr("Machine serial"), facts.machine_serial or not_told
    yield tr("Tester"), facts.tester or not_told
    yield trc("of a test", "Place"), facts.place or not_told
    yield tr("Date"), f"{stamp(run.started_at)[:16]} UTC"
    yield tr("Room temperature"), _celsius(facts.room_temperature_c) or not_told
    yield tr("Circuit"), facts.circuit or not_told
    said = found.statement
    profile = both(translated(run.profile.title), profile_words(said.profile_origin, said.profile_digest))
    ran = tr("ran {ran} of {planned}", ran=duration(said.ran_s), planned=duration(said.planned_s))
    yield tr("Profile, duration"), semicolons((profile, ran))
    yield tr("Machine"), found.machine
    yield tr("Driver, CUDA"), _both(versions.driver, versions.cuda)
    yield tr("Rigwright, PyTorch"), _both(versions.program, versions.pytorch)


def _celsius(told: str) -> str:
    """With the decimal mark of the language; a record that was changed may hold any text there."""
    try:
        return quantity(float(told), "°C")
    except ValueError:
        return told


def _both(first: str, second: str) -> str:
    return both(first or tr("not read"), second or tr("not read"))


def _card(card: CardRow) -> dict[str, Any]:
    hottest = quantity(card.hottest_c, "°C", decimals=0, missing=_UNKNOWN)
    cells = [
        card.label,
        card.place or _UNKNOWN,
        card.model,
        card.serial or tr("not read"),
        card.vbios or tr("not read"),
    ]
    return {
        "cells": [*cells, card.errors or "0", hottest],
        "verdict": _verdict(card.outcome, short=True),
        "bad": card.outcome in (Outcome.FAIL, Outcome.INCOMPLETE),
    }


def _plan_row(row: PlanRow) -> dict[str, Any]:
    of_machine = row.what in list(LineSubject)
    name = LineSubject(row.what).plural if of_machine else measured_words(row.what, row.of)
    measured = row.measured or ("" if of_machine else tr("NOT MEASURED"))
    tone = _TONE_OF[row.agreement]
    mark = {"text": "", "icon": TONE_ICON[tone], "colour": TONE_COLOUR[tone]}
    return {"cells": [name, row.planned, row.built, measured], "mark": mark}


def _ran(found: Certificate) -> Iterator[str]:
    if found.ran:
        yield tr("{stages}.", stages=semicolons(dict.fromkeys(found.ran)))


def _not_run(found: Certificate) -> Iterator[str]:
    told = semicolons(_missed(alike) for alike in _alike(found.not_run))
    if told:
        yield tr("Not run or not finished: {stages}.", stages=told)
    else:
        yield tr("Not run or not finished: nothing.")
    yield from (card.sentence for card in found.not_tested)
    if found.spared:
        yield tr("Interrupted, shortened or resumed: {what}", what=joined(found.spared))
    else:
        yield tr("Interrupted, shortened or resumed: nothing.")
    if found.told_later:
        changes = semicolons(both(FACTS.get(change.name, change.name), stamp(change.at)) for change in found.told_later)
        yield tr("Facts changed after the run: {facts}.", facts=changes)


def _seal_line(found: Certificate) -> str:
    return tr("Sealed recording: {state}", state=found.seal.check.state.label)


def _alike(missed: Sequence[NotRun]) -> Iterator[list[NotRun]]:
    """Stages that did not run on the same devices for the same reason, which is said once."""
    alike: dict[tuple[tuple[str, ...], str], list[NotRun]] = {}
    for one in missed:
        alike.setdefault((one.devices, english(one.why)), []).append(one)
    yield from alike.values()


def _missed(alike: Sequence[NotRun]) -> str:
    stages, first = commas(dict.fromkeys(one.title for one in alike)), alike[0]
    stage = tr("{stage} ({devices})", stage=stages, devices=commas(first.devices)) if first.devices else stages
    return named(stage, clause(first.why)) if first.why else stage


def _seal(found: Certificate) -> dict[str, Any]:
    seal, code = found.seal, found.seal.code
    lines = [["SHA-256", seal.digest], [tr("Key"), f"{seal.fingerprint}, Ed25519"]]
    return {
        "qr": qr_svg(code) if code else None,
        "code": code or "",
        "lines": [line for line in lines if seal.digest and seal.fingerprint],
    }


def _reasons(found: Certificate) -> Iterator[Block]:
    """Causes with what to do and where, then what passed, card by card."""
    for line in found.seal.changes:
        yield Paragraph(line, Tone.FAIL)
    columns = (
        ReportColumn(tr("Verdict"), 1.5),
        ReportColumn(tr("Cause"), 4.0),
        ReportColumn(tr("Where"), 2.2),
        ReportColumn(tr("What to do"), 3.0),
    )
    rows: list[tuple[Cell, ...]] = []
    slots = {card.device_id: _place(card) for card in found.cards}
    for cause in found.causes[:MOST_CAUSES]:
        where = joined([slots.get(device, device) for device in cause.devices], "\n")
        rows.append((OUTCOME_BADGE[cause.outcome], cause.text, where, cause.action))
    if rows:
        yield table(columns, rows)
    if (more := len(found.causes) - MOST_CAUSES) > 0:
        yield Paragraph(tr("{count} more reasons are in the report of the run.", count=more))
    passed = list(_passed(found.cards))
    if passed:
        yield table((ReportColumn(tr("Passed"), 5.0), ReportColumn(tr("Cards"), 1.4)), passed[:MOST_PASSED])
    if (more := len(passed) - MOST_PASSED) > 0:
        yield Paragraph(tr("{count} more reasons are in the report of the run.", count=more))


def _passed(cards: Sequence[CardRow]) -> Iterator[tuple[str, str]]:
    """What several cards, or several rounds of a stage, say alike is said once, with the range of its figures."""
    alike: dict[Hashable, list[tuple[CardRow, str]]] = {}
    for card in cards:
        for text in card.passed:
            alike.setdefault(shape(text), []).append((card, text))
    for same in alike.values():
        who = dict.fromkeys(card.label for card, _ in same)
        yield over([text for _, text in same]), _whose(list(who), [card.label for card in cards])


def _whose(labels: Sequence[str], every: Sequence[str]) -> str:
    """The fewest names: of many cards those that it does not hold for."""
    others = [label for label in every if label not in labels]
    if not others and len(every) > 1:
        return tr("all {count}", count=len(every))
    if not others or len(labels) <= max(len(others), 2):
        return commas(labels)
    return tr("all but {cards}", cards=commas(others))


def _place(card: CardRow) -> str:
    return commas(one for one in (card.name, card.model, card.serial) if one)


def _letterhead(letterhead: Letterhead) -> dict[str, Any]:
    logo: str | list[int] | None = None
    if letterhead.logo is not None:
        logo = letterhead.logo.decode("utf-8", "replace") if letterhead.logo_format == "svg" else list(letterhead.logo)
    return {
        "name": letterhead.name,
        "address": list(letterhead.address),
        "logo": logo,
        "format": letterhead.logo_format,
    }
