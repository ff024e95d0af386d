"""What the check of a run's seal found, in words."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from core.burnin.record.absence import DeletedRun, Predecessor
from core.burnin.record.chain import NEWEST, SAMPLES, STORED
from core.burnin.record.chain_check import Change
from core.burnin.record.reader import RunReader
from core.burnin.record.row_values import UnreadableRecord
from core.burnin.record.rows import MACHINE, Outcome, Run, RunStatus
from core.burnin.sealing import NOT_SEALED_CHANGE, RunCheck, SealState
from core.errors import RigwrightError
from core.language import Message, joined, plain, tr
from core.seal.keys import existing_key

SHORT_DIGEST = 16
"""Letters of a digest that are shown of a deleted run; JSON has all of it."""
MOST_NAMED = 3
"""Fields, metrics or moments that are named of one change."""


def state_sentence(check: RunCheck, subject: str) -> str:
    """The answer in one sentence, and what to do about it."""
    match check.state, check.seal:
        case SealState.INTACT, seal if seal is not None:
            return tr(
                "{subject} is intact since it was sealed at {time} with a known key.",
                subject=subject,
                time=seal.statement.get("sealed_at"),
            )
        case SealState.UNKNOWN_KEY, seal if seal is not None:
            return tr(
                "{subject} is intact, but its key is unknown here: {fingerprint}. Compare that with "
                "what its owner tells you, or give the owner's public key with {--key}.",
                subject=subject,
                fingerprint=seal.key.fingerprint,
            )
        case SealState.CHANGED, _:
            return tr("{subject} was CHANGED since it was recorded.", subject=subject)
        case SealState.UNSIGNED, _:
            return tr(
                "{subject} matches its hash chain, but is not signed. "
                "When it has ended, sign it with: {rigwright seal}.",
                subject=subject,
            )
        case _:
            return tr(
                "{subject} is not sealed: a program without seals made it, or its seal was removed. The report of a "
                "plan never has one.",
                subject=subject,
            )


def verdict_lines(statement: Mapping[str, Any]) -> list[str]:
    """What was judged, as a seal that holds says it: the verdict, and that nothing was measured."""
    if statement.get("record") == SealState.CHANGED:
        return [tr("CHANGED: it was made from a recording that failed its check. There is no verdict.")]
    if "outcome" not in statement:
        return [tr("Its seal says nothing of a verdict: it was made by an older version.")]
    outcome = str(statement["outcome"])
    word: str = Outcome(outcome).badge if outcome in list(Outcome) else tr("none")
    simulated = [tr("SIMULATED: no hardware was measured.")] if statement.get("simulated") else []
    return [tr("Verdict: {outcome}", outcome=word), *simulated]


def no_verdict(run_id: int) -> Message:
    """In place of the verdict of a run that failed its check."""
    return tr(
        "Run {run} was CHANGED since it was recorded: it has no verdict. What was changed: {rigwright verify} {run}",
        run=run_id,
    )


def unsigned_sentence(store: RunReader, run: Run) -> str:
    """Why a run that has ended has no signature, and what to do; empty of one that goes on, is signed, or has no chain.

    The reason is looked for now: what the runner met when it ended may have been set right since.
    """
    signed = run.status is not RunStatus.FINISHED or store.seal(run.id) is not None
    if signed or store.chain_head(run.id) is None:
        return ""
    reason: str = tr("The key could not be used when it ended.")
    try:
        existing_key(store.path.parent)
    except RigwrightError as problem:
        reason = problem.sentence
    return tr("Run {run} is not signed: {reason} Sign it with: {rigwright seal} {run}", run=run.id, reason=reason)


def change_lines(store: RunReader, run_id: int, changes: tuple[Change, ...]) -> list[str]:
    """One line for each change: what it is of, and what of that. By number or id where a name was changed."""
    names: dict[str, str] = {}
    stages: dict[str, str] = {}
    changed = {(change.kind, change.subject) for change in changes}
    with suppress(UnreadableRecord):
        devices = [row.device for row in store.devices(run_id)]
        names = {one.id: one.title for one in devices if ("device", one.id) not in changed}
    with suppress(UnreadableRecord):
        rows = [(str(row.number), row.title) for row in store.stages(run_id)]
        stages = {number: title for number, title in rows if ("stage", number) not in changed}
    return [_line(change, names, stages) for change in changes]


def absence_sentence(one: Predecessor) -> str:
    """Of a run that a later one names, and that is not here as it was then."""
    digest = one.digest or tr("unknown")
    text = tr("Run {run} with digest {digest} was recorded here.", run=one.run_id, digest=digest)
    if one.named_by is not None:
        text = tr(
            "Run {later} followed run {run} with digest {digest}.", later=one.named_by, run=one.run_id, digest=digest
        )
    if one.here:
        return joined([text, tr("Run {run} is different here.", run=one.run_id)])
    return joined([text, tr("Run {run} is missing here.", run=one.run_id)])


def deletion_words(deleted: DeletedRun) -> str:
    """When a run was deleted, and the beginning of its digest."""
    return tr(
        "deleted {time} UTC; digest {digest}", time=deleted.deleted_at[:19], digest=deleted.digest[:SHORT_DIGEST] or "-"
    )


def _line(change: Change, names: dict[str, str], stages: dict[str, str]) -> str:
    match change.kind:
        case kind if kind == SAMPLES:
            return _how(change, _samples(change, names.get(change.subject, change.subject)), with_fields=False)
        case kind if kind == STORED:
            device = names.get(change.subject, change.subject)
            return tr("Samples of {device}: the stored bytes were changed, their values were not.", device=device)
        case kind if kind == NEWEST:
            return tr("The newest samples were changed.")
        case "link":
            return tr("Link {number} of the hash chain was changed.", number=change.subject)
        case kind if kind == NOT_SEALED_CHANGE and change.fields:
            return tr("The seal does not match the recording in {fields}.", fields=_some(change.fields))
        case kind if kind == NOT_SEALED_CHANGE:
            return tr("The seal does not match the recording.")
        case _:
            return _how(change, _what(change, names, stages), with_fields=change.kind not in ("as-built", "origin"))


def _samples(change: Change, device: str) -> str:
    what = _some(change.fields) if change.fields else tr("file content")
    if not change.times_s:
        return tr("Samples of {device}: {what}", device=device, what=what)
    times = _some(tuple(_clock(time_s) for time_s in change.times_s))
    return tr("Samples of {device}: {what} at {times}", device=device, what=what, times=times)


def _what(change: Change, names: dict[str, str], stages: dict[str, str]) -> str:
    """The row that it is of."""
    match change.kind:
        case "verdict" if change.subject == MACHINE:
            return tr("The verdict on the machine")
        case "verdict":
            return tr("The verdict on {device}", device=names.get(change.subject, change.subject))
        case "stage":
            return tr("Stage {stage}", stage=stages.get(change.subject, change.subject))
        case "result":
            number, _, device_id = change.subject.partition(" ")
            device = names.get(device_id, device_id)
            return tr("The result of {stage} on {device}", stage=stages.get(number, number), device=device)
        case "device":
            return tr("Device {device}", device=names.get(change.subject, change.subject))
        case "start" | "end":
            return tr("The entry of the run")
        case "as-built":
            return tr("The machine as built")
        case "origin":
            return tr("The origin of the run")
        case "libraries":
            return tr("Libraries {number}", number=change.subject)
        case "event":
            return tr("Event {number}", number=change.subject)
        case "interruption":
            return tr("Interruption {number}", number=change.subject)
        case kind:
            return plain("{kind} {subject}", kind=kind.capitalize(), subject=change.subject)


def _how(change: Change, what: str, *, with_fields: bool) -> str:
    fields = _some(change.fields) if with_fields and change.fields else ""
    if change.missing:
        return tr("{what} was removed.", what=what)
    if change.added:
        return tr("{what} was added.", what=what)
    if fields:
        return tr("{what} was changed in {fields}.", what=what, fields=fields)
    return tr("{what} was changed.", what=what)


def _some(names: tuple[str, ...]) -> str:
    rest, named = len(names) - MOST_NAMED, ", ".join(names[:MOST_NAMED])
    return tr("{names} and {number} more", names=named, number=rest) if rest > 0 else named


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
