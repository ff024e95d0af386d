"""A certificate as the plain values that its template shows: texts in one language, colours, icons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from core.asbuilt.as_built import Subject
from core.burnin.record.rows import Outcome
from core.burnin.sealing import SealState
from core.burnin.verdict.causes import Cause
from core.certificate.certificate import CardRow, Certificate, NotRun
from core.certificate.comparison import Agreement, PlanRow
from core.certificate.letterhead import Letterhead
from core.certificate.words import Language, words
from core.report.document import Block, Cell, Column, Paragraph, Tone, table
from core.report.formatting import duration, stamp, utc_now
from core.report.palette import OUTCOME_BADGE, TONE_COLOUR, TONE_ICON
from core.report.run_seal import qr_svg
from core.report.values import block_values, cleaned_values
from core.units import quantity, without_unit
from core.version import __version__

MOST_CAUSES = 12
"""On the page of reasons."""
MOST_PASSED = 96
"""Reasons that passed, of all cards together: with the causes a page."""
_TONE_OF = {
    Agreement.SAME: Tone.PASS,
    Agreement.DIFFERENT: Tone.FAIL,
    Agreement.NOTED: Tone.NOTE,
    Agreement.UNKNOWN: Tone.UNKNOWN,
}
_SEAL_WORD = {
    SealState.INTACT: "intact",
    SealState.CHANGED: "changed",
    SealState.UNKNOWN_KEY: "outdated",
    SealState.UNSIGNED: "unsigned",
    SealState.NOT_SEALED: "not_sealed",
}
_UNKNOWN = "–"


def certificate_values(
    found: Certificate, language: Language, letterhead: Letterhead, annex: tuple[Block, ...] = ()
) -> dict[str, Any]:
    """Everything that the template reads."""
    said = words(language)
    run = found.record.run
    values = {
        "language": language.value,
        "words": dict(said),
        "version": __version__,
        "made": stamp(utc_now()),
        "number": f"{run.started_at[:10]}-{run.id}",
        "simulated": run.simulated,
        "colours": {tone.value: colour for tone, colour in TONE_COLOUR.items()},
        "verdict": _verdict(found.outcome, said),
        "cause": _cause(found, said),
        "facts": [list(fact) for fact in _facts(found, said)],
        "cards": [_card(card, said) for card in found.cards],
        "plan": [_plan_row(row, said) for row in found.plan],
        "ran": list(_ran(found)),
        "not-run": list(_not_run(found, said)),
        "seal": _seal(found, said),
        "figures": [block_values(figure) for figure in found.figures],
        "reasons": [block_values(block) for block in _reasons(found, said)],
        "annex": [block_values(block) for block in annex],
    }
    cleaned: dict[str, Any] = cleaned_values(values)
    return cleaned | {"letterhead": _letterhead(letterhead)}


def _verdict(outcome: Outcome | None, said: Mapping[str, str], *, short: bool = False) -> dict[str, str]:
    tone = OUTCOME_BADGE[outcome].tone if outcome else Tone.UNKNOWN
    key = outcome.value if outcome else "NONE"
    text = said[key.lower() if short else key]
    return {"text": text, "icon": TONE_ICON[tone], "colour": TONE_COLOUR[tone]}


def _cause(found: Certificate, said: Mapping[str, str]) -> str:
    """In one sentence: the gravest cause, or that there is none."""
    if found.outcome is None:
        return said["no_verdict"]
    if found.causes:
        first, more = found.causes[0], len(found.causes) - 1
        rest = f" {said['more_causes'].format(count=more)}" if more else ""
        return f"{_with_slot(first, found)} {first.action}".strip() + rest
    key = "all_passed_one" if len(found.cards) == 1 else "all_passed"
    return said[key].format(count=len(found.cards), checks=f"{found.checks:,}")


def _with_slot(cause: Cause, found: Certificate) -> str:
    slots = {card.device_id: card.slot for card in found.cards}
    known = [slot for device in cause.devices if (slot := slots.get(device))]
    return f"{cause.text} ({', '.join(known)})" if known else cause.text


def _facts(found: Certificate, said: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    facts, run, not_told = found.facts, found.record.run, said["not_told"]
    versions = found.versions
    yield said["customer"], facts.customer or not_told
    yield said["order"], facts.order or not_told
    yield said["machine_serial"], facts.machine_serial or not_told
    yield said["tester"], facts.tester or not_told
    yield said["place"], facts.place or not_told
    yield said["date"], f"{stamp(run.started_at)[:16]} UTC"
    yield said["room"], f"{facts.room_temperature_c} °C" if facts.room_temperature_c else not_told
    yield said["circuit"], facts.circuit or not_told
    yield said["profile"], f"{run.profile.title}, {duration(found.record.seconds)}"
    yield said["machine"], found.machine
    yield said["driver"], _both(versions.driver, versions.cuda, said)
    yield said["software"], _both(versions.program, versions.pytorch, said)


def _both(first: str, second: str, said: Mapping[str, str]) -> str:
    return f"{first or said['not_read']}, {second or said['not_read']}"


def _card(card: CardRow, said: Mapping[str, str]) -> dict[str, Any]:
    hottest = quantity(card.hottest_c, "°C", decimals=0, missing=_UNKNOWN)
    cells = [card.slot or _UNKNOWN, card.model, card.serial or said["not_read"], card.vbios or said["not_read"]]
    return {
        "cells": [*cells, card.errors or "0", hottest],
        "verdict": _verdict(card.outcome, said, short=True),
        "bad": card.outcome in (Outcome.FAIL, Outcome.INCOMPLETE),
    }


def _plan_row(row: PlanRow, said: Mapping[str, str]) -> dict[str, Any]:
    of_machine = row.what in {subject.value for subject in Subject}
    name = said[f"of {row.what}"] if of_machine else said[row.what].format(what=row.of)
    measured = row.measured or ("" if of_machine else said["not_measured"])
    tone = _TONE_OF[row.agreement]
    mark = {"text": "", "icon": TONE_ICON[tone], "colour": TONE_COLOUR[tone]}
    return {"cells": [name, row.planned, row.built, measured], "mark": mark}


def _ran(found: Certificate) -> Iterator[str]:
    if found.ran:
        yield f"{'; '.join(dict.fromkeys(found.ran))}."


def _not_run(found: Certificate, said: Mapping[str, str]) -> Iterator[str]:
    told = "; ".join(_missed(one) for one in found.not_run)
    yield f"{said['not_run']}: {told}." if told else f"{said['not_run']}: {said['everything']}"
    yield f"{said['spared']}: {' '.join(found.spared) or said['nothing'] + '.'}"
    if found.told_later:
        changes = "; ".join(
            f"{without_unit(change.name).replace('_', ' ')}, {stamp(change.at)}" for change in found.told_later
        )
        yield f"{said['told_later']}: {changes}."


def _missed(one: NotRun) -> str:
    where = f" ({', '.join(one.devices)})" if one.devices else ""
    return f"{one.title}{where}: {one.why.rstrip('.')}" if one.why else f"{one.title}{where}"


def _seal(found: Certificate, said: Mapping[str, str]) -> dict[str, Any]:
    seal, code = found.seal, found.seal.code
    lines = [[said["digest"], seal.digest], [said["key"], f"{seal.fingerprint}, Ed25519"]]
    return {
        "qr": qr_svg(code) if code else None,
        "code": code or "",
        "state": said[_SEAL_WORD[seal.check.state]],
        "lines": [line for line in lines if seal.digest and seal.fingerprint],
    }


def _reasons(found: Certificate, said: Mapping[str, str]) -> Iterator[Block]:
    """Causes with what to do and where, then what passed, card by card."""
    for line in found.seal.changes:
        yield Paragraph(line, Tone.FAIL)
    shares = (("verdict", 1.5), ("cause", 4.0), ("where", 2.2), ("to_do", 3.0))
    columns = [Column(said[name], share) for name, share in shares]
    rows: list[tuple[Cell, ...]] = []
    slots = {card.device_id: _place(card) for card in found.cards}
    for cause in found.causes[:MOST_CAUSES]:
        where = "\n".join(slots.get(device, device) for device in cause.devices)
        rows.append((OUTCOME_BADGE[cause.outcome], cause.text, where, cause.action))
    if rows:
        yield table(columns, rows)
    if (more := len(found.causes) - MOST_CAUSES) > 0:
        yield Paragraph(said["more"].format(count=more))
    each = max(MOST_PASSED // max(len(found.cards), 1), 1)
    passed = [(_place(card), " ".join(card.passed[:each])) for card in found.cards if card.passed]
    if passed:
        yield table((Column(said["cards"], 1.0), Column(said["passed"], 5.0)), passed)
    if (more := sum(max(len(card.passed) - each, 0) for card in found.cards)) > 0:
        yield Paragraph(said["more"].format(count=more))


def _place(card: CardRow) -> str:
    return ", ".join(filter(None, (card.slot, card.model, card.serial)))


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
