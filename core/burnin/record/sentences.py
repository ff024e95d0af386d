"""The sentences of a record: written in English, read in the language of the reader.

What is recorded, linked and sealed is the English text, as it was before there were languages. Beside it a table keeps
the message that the text was made of (core.words), once for each run and text. The table is in no link of the hash
chain and under no seal, and need not be: a message counts only where its English is the recorded text, letter by
letter. Where it is not, or there is none, the recorded text is shown as it is.

Reasons of earlier versions said in words alone what newer ones say by code: they are read as text here, and nowhere
else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

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
from core.platform.database import Database
from core.words import Message, current_language, english, from_json, plain, to_json

LONGEST = 20_000
"""Letters of a stored message; a longer one is not read."""
MOST = 20_000
"""Messages of one run that are read."""

_Value = TypeVar("_Value")


def in_english(db: Database, run_id: int, value: _Value) -> _Value:
    """A value as it is recorded; its messages are kept beside it. Within a transaction of the caller that has written.

    Reaches into lists, tuples and dictionaries.
    """
    for message in _messages(value):
        db.execute(
            "INSERT OR IGNORE INTO sentences VALUES (?, ?, ?)", (run_id, english(message), json.dumps(to_json(message)))
        )
    recorded: _Value = english(value)
    return recorded


class Sentences:
    """The messages of the runs in one file. Looks for new ones whenever it is asked: a run that goes on adds some."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._cached: dict[tuple[int, str], tuple[int, dict[str, str | None]]] = {}
        """By run and language: how many rows there were, and what is said by what was recorded, if anything."""

    def translated(self, run_id: int, value: _Value) -> _Value:
        """A recorded value in the language that is spoken now, its sentences as messages."""
        translated: _Value = _translated(value, self._of(run_id))
        return translated

    def _of(self, run_id: int) -> Mapping[str, str | None]:
        (count,) = self._db.execute("SELECT count(*) FROM sentences WHERE run_id = ?", (run_id,)).fetchone()
        key = (run_id, current_language())
        before, messages = self._cached.get(key, (0, {}))
        if count != before:
            rows = self._db.execute(
                "SELECT text, message FROM sentences WHERE run_id = ? AND length(message) <= ? LIMIT ?",
                (run_id, LONGEST, MOST),
            ).fetchall()
            messages = {text: messages[text] if text in messages else _message(text, stored) for text, stored in rows}
            self._cached[key] = count, messages
        return messages


def _message(text: str, stored: str) -> str | None:
    """The stored message, where it is what the text says in English."""
    try:
        message = from_json(json.loads(stored))
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, Message) and english(message) == text else None


def _messages(value: Any) -> Iterator[Message]:
    if isinstance(value, Message):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _messages(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _messages(item)


def _translated(value: Any, sentences: Mapping[str, str | None], *, of_evidence: bool = False) -> Any:
    """A single word of evidence may be a key, and stays."""
    if not sentences:
        return value
    if isinstance(value, str):
        return value if of_evidence and " " not in value else sentences.get(value) or value
    if isinstance(value, dict):
        return {name: _translated(item, sentences, of_evidence=True) for name, item in value.items()}
    if isinstance(value, list | tuple) and not (value and isinstance(value[0], int | float)):
        return type(value)(_translated(item, sentences, of_evidence=of_evidence) for item in value)
    return value


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
