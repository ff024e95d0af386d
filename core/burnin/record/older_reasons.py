"""Reasons of recordings of earlier versions, which said in words alone what newer ones say by code: read as text here,
and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from core.burnin.record.rows import (
    LINK_RATE,
    MACHINE,
    REQUESTED,
    STOP_EVENT,
    Event,
    Outcome,
    Reason,
    ReasonCriterion,
    RunDevice,
    StageRow,
    Verdict,
)
from core.language import Message, english, plain

Context = tuple[Sequence[RunDevice], Sequence[StageRow], Sequence[Event]]


def with_codes(verdicts: list[Verdict], read: Callable[[], Context]) -> list[Verdict]:
    """The verdicts with the codes that their words stand for; `read` is asked only where one has none."""
    if not any(_lacks_code(reason) for verdict in verdicts for reason in verdict.reasons):
        return verdicts
    devices, stages, events = read()
    titles = {stage.number: stage.title for stage in stages}
    return [
        replace(
            verdict,
            reasons=tuple(_of_machine(verdict.reasons, devices, events))
            if verdict.device_id == MACHINE
            else tuple(_of_device(reason, titles) for reason in verdict.reasons),
        )
        for verdict in verdicts
    ]


def _lacks_code(reason: Reason) -> bool:
    if reason.criterion == ReasonCriterion.STAGE:
        return not isinstance(reason.text, Message)
    return not reason.criterion or (reason.criterion == ReasonCriterion.LINK and not reason.about)


def _of_machine(reasons: Sequence[Reason], devices: Sequence[RunDevice], events: Sequence[Event]) -> Iterator[Reason]:
    listed = {f"{english(row.device.title)}: {outcome}": row.device.id for row in devices for outcome in Outcome}
    stops = {english(event.message): event.time_s for event in events if event.kind == STOP_EVENT}
    for reason in reasons:
        text = english(reason.text)
        if reason.criterion:
            yield reason
        elif text in listed:
            yield replace(reason, criterion=ReasonCriterion.DEVICE, about=listed[text])
        elif text in stops:
            about = "" if ". " in text else REQUESTED
            yield replace(reason, criterion=ReasonCriterion.STOP, about=about, time_s=stops.pop(text))
        else:
            yield reason


def _of_device(reason: Reason, titles: Mapping[int, str]) -> Reason:
    if reason.criterion == ReasonCriterion.STAGE and not isinstance(reason.text, Message):
        title = titles.get(-1 if reason.stage is None else reason.stage, "")
        finding = reason.text.removeprefix(title).lstrip(": ")
        before = reason.text.removesuffix(finding)
        return replace(reason, text=plain("{before}{finding}", before=before, finding=finding))
    if reason.criterion == ReasonCriterion.LINK and not reason.about and reason.unit == "GB/s":
        return replace(reason, about=LINK_RATE)
    return reason


def throttle_codes(titles: Iterable[str]) -> list[str]:
    """The names of reasons for lower clocks, of which only the titles were recorded; "" of those that are no power."""
    return [{"Power limit": "SwPowerCap", "Idle": "GpuIdle"}.get(english(title), "") for title in titles]
