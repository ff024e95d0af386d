"""A certificate as its pages: the plain values that the template shows, in one language, and the sealed PDF of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from core.burnin.record.reader import RunReader
from core.burnin.record.rows import Outcome
from core.platform.errors import BadInput
from core.platform.paths import ASSETS
from core.present.certificate.certificate import Agreement, Certificate, NotRun, PlanRow, read_certificate
from core.present.certificate.letterhead import Letterhead, read_letterhead
from core.present.report.document import Block, Paragraph, ReportColumn, Tone, table
from core.present.report.formatting import both, commas, duration, named, semicolons, stamp, utc_now
from core.present.report.palette import OUTCOME_BADGE, TONE_COLOUR, TONE_ICON
from core.present.report.pdf import pdf_bytes, set_pdf
from core.present.report.recorded_run import RunCard
from core.present.report.run_report import run_document
from core.present.report.run_seal import changed_document, not_proven, qr_svg, read_run_seal
from core.present.report.run_verdict import cause_sentence, cause_table
from core.present.report.statement import PaperKind, Statement, profile_words
from core.present.report.values import block_values, cleaned_values, language_values, page_words
from core.present.report.write import write_paper
from core.version import __version__
from core.words import capital, clause, current_language, english, joined, spoken, tr, translated, trc, trn
from core.words.phrasing import over, shape
from core.words.units import quantity

TEMPLATE = ASSETS / "report" / "certificate.typ"
MOST_CAUSES = 12
"""On the page of reasons."""
MOST_PASSED = 44
"""Reasons that passed: with the causes a page."""
PAGE_WORDS: Mapping[str, str] = {
    "title": tr("Burn-in certificate"),
    "marked": tr("SIMULATED"),
    "simulated": tr("SIMULATED: no hardware was measured. This proves nothing."),
    "cards": tr("Cards"),
    "card": tr("Card"),
    "slot": tr("Slot"),
    "model": trc("of a card", "Model"),
    "serial": tr("Serial"),
    "vbios": "VBIOS",
    "errors": tr("Errors"),
    "hottest": tr("Hottest"),
    "verdict": tr("Verdict"),
    "three": tr("As planned, as built, as measured"),
    "plan": tr("Plan"),
    "built": tr("As built"),
    "measured": tr("Measured"),
    "no_plan": tr("The run had no plan to compare with."),
    "ran": tr("What ran"),
    "tested_by": tr("Tested by, date"),
    "released_by": tr("Released by, date"),
    "accepted_by": tr("Accepted by customer, date"),
    "proves": tr(
        "A seal proves that nothing was changed since and which key sealed it, not that a measurement was right."
        " {rigwright verify} FILE checks this file."
    ),
    "curves": tr("Curves"),
    "reasons": tr("Reasons, causes first"),
    "annex": tr("Annex: the log of the run"),
}
"""Headings and heads of columns, by the names that the template has for them."""
FACTS: Mapping[str, str] = {
    "customer": tr("customer"),
    "order": trc("of a customer", "order"),
    "machine_serial": tr("machine serial"),
    "tester": tr("tester"),
    "place": trc("of a test", "place"),
    "room_temperature_c": tr("room temperature"),
    "circuit": trc("of a test", "circuit"),
    "wall_idle_w": tr("wall power idle, from a file"),
    "wall_load_w": tr("wall power under load, from a file"),
    "noise_idle_dba": tr("noise idle"),
    "noise_load_dba": tr("noise load"),
    "noise_distance_m": tr("noise distance"),
}
"""What can be told of a run, by the name that its record has for it."""

_TONE_OF = {
    Agreement.SAME: Tone.PASS,
    Agreement.DIFFERENT: Tone.FAIL,
    Agreement.NOTED: Tone.NOTE,
    Agreement.UNKNOWN: Tone.UNKNOWN,
}
_UNKNOWN = "–"


def certificate_values(
    certificate: Certificate, letterhead: Letterhead, annex: tuple[Block, ...] = ()
) -> dict[str, Any]:
    """Everything that the template reads, in the language that is spoken."""
    run = certificate.record.run
    values = {
        **language_values(),
        "words": {**PAGE_WORDS, "title": _title(certificate), "page": page_words(), "seal": _seal_line(certificate)},
        "version": __version__,
        "made": stamp(utc_now()),
        "number": f"{run.started_at[:10]}-{run.id}",
        "simulated": run.simulated,
        "colours": {tone.value: colour for tone, colour in TONE_COLOUR.items()},
        "verdict": _verdict(certificate.outcome),
        "cause": joined(filter(None, (not_proven(certificate.seal), _cause(certificate)))),
        "facts": [list(fact) for fact in _facts(certificate)],
        "cards": [_card(card, certificate.record.hottest_c(card.device.id)) for card in certificate.cards],
        "planned": certificate.planned,
        "plan": [_plan_row(row) for row in certificate.plan],
        "ran": list(_ran(certificate)),
        "not-run": list(_not_run(certificate)),
        "seal": _seal(certificate),
        "statement": certificate.statement.line,
        "figures": [block_values(figure) for figure in certificate.figures],
        "reasons": [block_values(block) for block in _reasons(certificate)],
        "annex": [block_values(block) for block in annex],
    }
    cleaned: dict[str, Any] = cleaned_values(values)
    return cleaned | {"letterhead": _letterhead(letterhead)}


def _title(certificate: Certificate) -> str:
    """A card that passed is no certificate of its machine, which may have failed under the same number."""
    return tr("Record of one card, not of the machine") if certificate.statement.card else PAGE_WORDS["title"]


def _verdict(outcome: Outcome | None, *, short: bool = False) -> dict[str, str]:
    tone = OUTCOME_BADGE[outcome].tone if outcome else Tone.UNKNOWN
    text: str = tr("NONE") if short else tr("NO VERDICT")
    if outcome:
        text = outcome.label if short else outcome.stamp
    return {"text": text, "icon": TONE_ICON[tone], "colour": TONE_COLOUR[tone]}


def _cause(certificate: Certificate) -> str:
    """In one sentence: the gravest cause and which slot to look into, or that there is none."""
    if certificate.outcome is None:
        return tr("The run has no verdict.")
    if certificate.causes:
        first, more = certificate.causes[0], len(certificate.causes) - 1
        where = {card.device.id: card.where for card in certificate.cards}
        rest = tr("{count} more on page 3.", count=more) if more else ""
        return joined((cause_sentence(first, where), rest))
    return trn(
        "The card passed every stage that ran: {checks:,} results checked, none wrong.",
        "All {count} devices passed every stage that ran: {checks:,} results checked, none wrong.",
        count=len(certificate.cards),
        checks=certificate.checks,
    )


def _facts(certificate: Certificate) -> Iterator[tuple[str, str]]:
    """Who, where and when; what nobody told is said to be so."""
    facts, statement, versions = certificate.facts, certificate.statement, certificate.versions
    for name in ("customer", "order", "machine_serial", "tester", "place"):
        yield _fact(name, getattr(facts, name))
    yield tr("Date"), f"{stamp(certificate.record.run.started_at)[:16]} UTC"
    yield _fact("room_temperature_c", _celsius(facts.room_temperature_c))
    yield _fact("circuit", facts.circuit)
    origin = profile_words(statement.profile_origin, statement.profile_digest)
    ran = tr("ran {ran} of {planned}", ran=duration(statement.ran_s), planned=duration(statement.planned_s))
    yield tr("Profile, duration"), semicolons((both(translated(certificate.record.run.profile.title), origin), ran))
    yield tr("Machine"), certificate.machine
    yield tr("Driver, CUDA"), both(versions.driver or tr("not read"), versions.cuda or tr("not read"))
    yield tr("Rigwright, PyTorch"), both(versions.program or tr("not read"), versions.pytorch or tr("not read"))


def _fact(name: str, value: str) -> tuple[str, str]:
    return capital(FACTS[name]), value or tr("not given")


def _celsius(celsius: str) -> str:
    """With the decimal mark of the language; a record that was changed may hold any text there."""
    try:
        return quantity(float(celsius), "°C")
    except ValueError:
        return celsius


def _card(card: RunCard, hottest_c: float | None) -> dict[str, Any]:
    hottest = quantity(hottest_c, "°C", decimals=0, missing=_UNKNOWN)
    not_read = tr("not read")
    cells = [card.device.label, card.place or _UNKNOWN, card.model, card.serial or not_read, card.vbios or not_read]
    return {
        "cells": [*cells, card.errors or "0", hottest],
        "verdict": _verdict(card.outcome, short=True),
        "bad": card.outcome in (Outcome.FAIL, Outcome.INCOMPLETE),
    }


def _plan_row(row: PlanRow) -> dict[str, Any]:
    measured = "" if row.measured is None else row.measured or tr("NOT MEASURED")
    tone = _TONE_OF[row.agreement]
    mark = {"text": "", "icon": TONE_ICON[tone], "colour": TONE_COLOUR[tone]}
    return {"cells": [row.title, row.planned, row.built, measured], "mark": mark}


def _ran(certificate: Certificate) -> Iterator[str]:
    if certificate.ran:
        yield tr("{stages}.", stages=semicolons(dict.fromkeys(certificate.ran)))


def _not_run(certificate: Certificate) -> Iterator[str]:
    stages = semicolons(_missed(alike) for alike in _alike(certificate.not_run))
    if stages:
        yield tr("Not run or not finished: {stages}.", stages=stages)
    else:
        yield tr("Not run or not finished: nothing.")
    yield from (card.sentence for card in certificate.not_tested)
    if certificate.spared:
        yield tr("Interrupted, shortened or resumed: {what}", what=joined(certificate.spared))
    else:
        yield tr("Interrupted, shortened or resumed: nothing.")
    if certificate.told_later:
        changes = semicolons(
            both(FACTS.get(change.name, change.name), stamp(change.at)) for change in certificate.told_later
        )
        yield tr("Facts changed after the run: {facts}.", facts=changes)


def _seal_line(certificate: Certificate) -> str:
    return tr("Sealed recording: {state}", state=certificate.seal.check.state.label)


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


def _seal(certificate: Certificate) -> dict[str, Any]:
    seal, code = certificate.seal, certificate.seal.code
    lines = [["SHA-256", seal.digest], [tr("Key"), f"{seal.fingerprint}, Ed25519"]]
    return {
        "qr": qr_svg(code) if code else None,
        "code": code or "",
        "lines": [line for line in lines if seal.digest and seal.fingerprint],
    }


def _reasons(certificate: Certificate) -> Iterator[Block]:
    """Causes with what to do and where, then what passed, card by card."""
    for line in certificate.seal.changes:
        yield Paragraph(line, Tone.FAIL)
    passed = list(_passed(certificate.cards))
    if certificate.causes:
        yield cause_table(certificate.causes[:MOST_CAUSES], certificate.cards)
    yield from _more(len(certificate.causes) - MOST_CAUSES)
    if passed:
        yield table((ReportColumn(tr("Passed"), 5.0), ReportColumn(tr("Cards"), 1.4)), passed[:MOST_PASSED])
    yield from _more(len(passed) - MOST_PASSED)


def _more(count: int) -> Iterator[Block]:
    if count > 0:
        yield Paragraph(tr("{count} more reasons are in the report of the run.", count=count))


def _passed(cards: Sequence[RunCard]) -> Iterator[tuple[str, str]]:
    """What several cards, or several rounds of a stage, say alike is said once, with the range of its figures."""
    alike: dict[Hashable, list[tuple[RunCard, str]]] = {}
    for card in cards:
        for text in card.passed:
            alike.setdefault(shape(text), []).append((card, text))
    for same in alike.values():
        who = dict.fromkeys(card.device.label for card, _ in same)
        yield over([text for _, text in same]), _whose(list(who), [card.device.label for card in cards])


def _whose(labels: Sequence[str], every: Sequence[str]) -> str:
    """The fewest names: of many cards those that it does not hold for."""
    others = [label for label in every if label not in labels]
    if not others and len(every) > 1:
        return tr("all {count}", count=len(every))
    if not others or len(labels) <= max(len(others), 2):
        return commas(labels)
    return tr("all but {cards}", cards=commas(others))


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


def sealed_certificate(
    store: RunReader, run_id: int, *, language: str | None = None, letterhead: Path | None = None, annex: bool = False
) -> tuple[bytes, Statement]:
    """The PDF, sealed where the installation's key can be used, and what is signed into it.

    `annex` adds the whole report. `language` is one of `LANGUAGES`; None is that of the program. What was recorded as a
    message is said in it too. Raises BadInput for a run or letterhead that cannot be read.
    """
    head = read_letterhead(letterhead, store.path.parent)
    with spoken(language or current_language()):
        seal = read_run_seal(store, run_id)
        statement = seal.statement(PaperKind.CERTIFICATE)
        if seal.changed:
            title = PAGE_WORDS["title"]
            content = pdf_bytes(changed_document(run_id, seal, PaperKind.CERTIFICATE, title, store.path.parent))
        else:
            certificate = read_certificate(store, run_id, seal)
            log: tuple[Block, ...] = run_document(store, run_id).blocks if annex else ()
            content = set_pdf(TEMPLATE, "certificate", certificate_values(certificate, head, log))
    sealed = seal.sealed(statement)
    return content if sealed is None else sealed(content), statement


def write_certificate(
    store: RunReader,
    run_id: int,
    path: Path,
    *,
    language: str | None = None,
    letterhead: Path | None = None,
    annex: bool = False,
) -> Path:
    """Writes that as `write_paper` does."""
    if path.suffix.lower() != ".pdf":
        raise BadInput(tr("{path}: a certificate is a PDF. Give the file a name that ends in .pdf.", path=path))
    return write_paper(path, *sealed_certificate(store, run_id, language=language, letterhead=letterhead, annex=annex))
