"""The seal of a run: made when it ends, held against the record whenever asked, and what was found in words."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.burnin.profile.file import profile_origin
from core.burnin.profile.profile import profile_digest
from core.burnin.record.chain import NEWEST, SAMPLES, STORED
from core.burnin.record.chain_check import Change
from core.burnin.record.linked_store import utc_now
from core.burnin.record.origin import Predecessor
from core.burnin.record.reader import RunReader
from core.burnin.record.rows import MACHINE, Outcome, Run, RunStatus, StageStatus, UnreadableRecord, Verdict
from core.burnin.record.store import RunStore
from core.platform.errors import BadInput, RigwrightError
from core.seal.keys import (
    BadSeal,
    PublicKey,
    Seal,
    SigningKey,
    existing_key,
    own_public_key,
    read_seal,
    sign,
    signing_key,
)
from core.words import Message, Worded, english, plain, tr

NOT_SEALED_CHANGE = "seal"
"""Kind of the change that says that the seal itself does not fit."""
STATEMENT_VERSION = 2
"""Of what a seal says. The first, which had no number, said nothing of profile digest, origin and durations."""
_OF_ITS_TIME = ("profile_digest", "profile_origin")
"""Said by the program that sealed: another version may ship other profiles. The profile itself is in the chain."""


UNSIGNED = "unsigned"
"""Kind of the event that tells why a run cannot be signed."""


class SealState(Worded):
    """What is known of something sealed."""

    INTACT = "intact", tr("intact")
    CHANGED = "changed", tr("CHANGED since it was recorded")
    UNKNOWN_KEY = "unknown key", tr("signed by an unknown key")
    """Nothing was changed since it was sealed, but by whom that was is not known here."""
    UNSIGNED = "not signed", tr("not signed")
    """It has a whole hash chain, and no signature yet."""
    NOT_SEALED = "not sealed", tr("not sealed")


@dataclass(frozen=True, slots=True)
class RunCheck:
    """The record of a run held against its chain and seal."""

    state: SealState
    changes: tuple[Change, ...] = ()
    seal: Seal | None = None
    head: bytes | None = None
    absent: tuple[Predecessor, ...] = ()
    """The run that it followed, or the newest of the installation, where that is not here as it was then; and itself,
    where a later run followed another state of it. That is no change of this record."""


def seal_run(store: RunStore, run_id: int, passphrase: str | None = None) -> Seal | None:
    """Signs the record of a run that has ended, once; None of one that was recorded without a hash chain.

    Raises BadInput for a run that has not ended or whose record was changed, and as `signing_key` does.
    """
    store.require_measured(run_id)
    run = store.run(run_id)
    if run.status is not RunStatus.FINISHED:
        fields = {"run_id": run_id, "status": run.status.label}
        raise BadInput(
            tr("Run {run_id} has no verdict yet: it is {status}. A run is sealed when it has ended.", **fields)
        )
    if (word := store.seal(run_id)) is not None:
        return read_seal(word)
    chain = store.check_chain(run_id)
    if chain is None:
        return None
    if chain.changes:
        raise BadInput(
            tr(
                "Run {run_id} was changed since it was recorded: it is not sealed. See: {rigwright verify} {run_id}",
                run_id=run_id,
            )
        )
    return _signed(store, run_id, chain.head, signing_key(store.path.parent, passphrase))


def _signed(store: RunStore, run_id: int, head: bytes, key: SigningKey) -> Seal:
    seal = sign(_statement(store, run_id, head) | {"sealed_at": utc_now()}, key)
    store.set_seal(run_id, seal.word)
    return seal


def finish_sealed(store: RunStore, run_id: int, judged: Callable[[], Sequence[Verdict]]) -> Sequence[Verdict]:
    """Ends a run with its verdicts and its seal, in one commit.

    The record is checked before it is judged, and once more in the commit: what was changed in it stands in verdicts
    and seal, which is why it is signed all the same. A key that cannot be used leaves it without signature: that is
    told on standard error, and `rigwright seal` makes up for it. In the place of a recording that was moved away no key
    is made: it would be unknown. Raises BadInput for an imported run.
    """
    store.require_measured(run_id)
    store.note_changes(run_id)
    while True:
        verdicts = judged()
        with store.one_commit():
            if store.note_changes(run_id):
                continue
            store.finish(run_id, verdicts)
            if (head := store.chain_head(run_id)) is not None:
                try:
                    store.require_in_place()
                    _signed(store, run_id, head, signing_key(store.path.parent))
                except RigwrightError as problem:
                    print(f"Run {run_id} has no signature yet: {problem}", file=sys.stderr)  # noqa: T201 - the runner's log
            return verdicts


def lack_of_key(data_dir: Path) -> str | None:
    """Why this installation's key cannot be used, in a sentence; None where it can. Makes it where there is none."""
    try:
        signing_key(data_dir)
    except RigwrightError as problem:
        return tr("The key for the seal cannot be used: {reason}", reason=problem.sentence)
    return None


def check_run(store: RunReader, run_id: int, trusted: Collection[PublicKey] = ()) -> RunCheck:
    """Whether the record is what it was when the run ended. The own key is trusted beside those given.

    Raises BadInput if there is no such run.
    """
    concerned = [one for one in store.absent() if one.named_by in (run_id, None) or one.run_id == run_id]
    return replace(_checked(store, run_id, trusted), absent=tuple(concerned))


def _checked(store: RunReader, run_id: int, trusted: Collection[PublicKey]) -> RunCheck:
    chain, word = store.check_chain(run_id), store.seal(run_id)
    if chain is None:
        store.run(run_id)
        return RunCheck(SealState.NOT_SEALED if word is None else SealState.CHANGED)
    if word is None:
        state = SealState.CHANGED if chain.changes else SealState.UNSIGNED
        return RunCheck(state, chain.changes, head=chain.head)
    try:
        seal = read_seal(word)
    except BadSeal:
        return RunCheck(SealState.CHANGED, (*chain.changes, Change(NOT_SEALED_CHANGE)), head=chain.head)
    recorded = {} if chain.changes else _statement(store, run_id, chain.head)
    different = tuple(name for name, value in recorded.items() if not _says(seal, name, value))
    changes = (*chain.changes, *([Change(NOT_SEALED_CHANGE, "", different)] if different else []))
    if changes:
        return RunCheck(SealState.CHANGED, changes, seal, chain.head)
    is_known = seal.key in known_keys(store.path.parent, trusted)
    return RunCheck(SealState.INTACT if is_known else SealState.UNKNOWN_KEY, (), seal, chain.head)


def known_keys(data_dir: Path, trusted: Collection[PublicKey]) -> set[PublicKey]:
    """The keys that are trusted here: those given, and this installation's own."""
    own = own_public_key(data_dir)
    return {*trusted, *([own] if own else [])}


def is_changed(store: RunReader, run_id: int) -> bool:
    """Whether a run failed its check, so that nothing may be concluded from it. Reads all of it, whatever its status
    says: that may be what was changed."""
    return check_run(store, run_id).state is SealState.CHANGED


def is_relabelled(store: RunReader, run_id: int) -> bool:
    """Whether the rows of a finished run say another verdict than its own seal, or other than measured; read in an
    instant, for lists. `check_run` reads all that was recorded."""
    if (word := store.seal(run_id)) is None:
        return False
    try:
        statement = read_seal(word).statement
    except BadSeal:
        return True
    recorded = {"run": run_id, "simulated": store.run(run_id).simulated, "outcome": _outcome(store, run_id)}
    return any(statement.get(name) != value for name, value in recorded.items())


def statement_of(store: RunReader, run_id: int, check: RunCheck) -> dict[str, Any]:
    """What a seal says of a run: as its own seal says it where that holds, else as recorded until now."""
    recorded = _statement(store, run_id, check.head or b"")
    if check.seal is None or check.state is SealState.CHANGED:
        return recorded
    return recorded | {name: value for name, value in check.seal.statement.items() if name in recorded}


def _says(seal: Seal, name: str, value: Any) -> bool:
    """Whether a seal says that; of what seals of its version did not say, and of its own time, it says nothing else."""
    if name in _OF_ITS_TIME or name == "version":
        return True
    if name not in seal.statement:
        return "version" not in seal.statement
    return bool(seal.statement[name] == value)


def _outcome(store: RunReader, run_id: int) -> Outcome | None:
    return next((one.outcome for one in store.verdicts(run_id) if one.device_id == MACHINE), None)


def _statement(store: RunReader, run_id: int, head: bytes) -> dict[str, Any]:
    """What a seal says of a run. Whatever it was not spared belongs to it."""
    run = store.run(run_id)
    skipped = [stage.title for stage in store.stages(run_id) if stage.status is not StageStatus.DONE]
    outcome = _outcome(store, run_id)
    return {
        "of": "run",
        "version": STATEMENT_VERSION,
        "digest": head.hex(),
        "run": run_id,
        "started_at": run.started_at,
        "ended_at": run.ended_at,
        "machine": run.machine,
        "profile": run.profile.name,
        "profile_digest": profile_digest(run.profile),
        "profile_origin": profile_origin(run.profile).value,
        "planned_s": round(run.profile.seconds, 3),
        "ran_s": round(store.last_time_s(run_id), 3),
        "outcome": outcome.value if outcome else None,
        "simulated": run.simulated,
        "interruptions": [one.kind.value for one in store.interruptions(run_id)],
        "not_completed": english(skipped),
        "program": f"Rigwright {run.version}",
        "follows": _follows(store, run_id),
    }


def _follows(store: RunReader, run_id: int) -> dict[str, Any] | None:
    """The run before it, so that two certificates of one installation can be laid side by side."""
    origin = store.origin(run_id)
    if origin is None or origin.follows is None:
        return None
    return {"run": origin.follows, "digest": origin.follows_digest}


MOST_NAMED = 3
"""Fields, metrics or moments that are named of one change."""


def state_sentence(check: RunCheck, subject: str) -> str:
    """The answer in one sentence, and what to do about it."""
    match check.state, check.seal:
        case SealState.INTACT, seal if seal is not None:
            fields = {"subject": subject, "time": seal.statement.get("sealed_at")}
            return tr("{subject} is intact since it was sealed at {time} with a known key.", **fields)
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
    word: str = Outcome(outcome).label if outcome in list(Outcome) else tr("none")
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
    subject, device = change.subject, names.get(change.subject, change.subject)
    if change.kind == "result":
        number, _, device_id = subject.partition(" ")
        fields = {"stage": stages.get(number, number), "device": names.get(device_id, device_id)}
        return tr("The result of {stage} on {device}", **fields)
    if change.kind == "verdict" and subject == MACHINE:
        return tr("The verdict on the machine")
    of_kind = {
        "verdict": tr("The verdict on {device}", device=device),
        "stage": tr("Stage {stage}", stage=stages.get(subject, subject)),
        "device": tr("Device {device}", device=device),
        "start": tr("The entry of the run"),
        "end": tr("The entry of the run"),
        "as-built": tr("The machine as built"),
        "origin": tr("The origin of the run"),
        "libraries": tr("Libraries {number}", number=subject),
        "event": tr("Event {number}", number=subject),
        "interruption": tr("Interruption {number}", number=subject),
    }
    return of_kind.get(change.kind) or plain("{kind} {subject}", kind=change.kind.capitalize(), subject=subject)


def _how(change: Change, what: str, *, with_fields: bool) -> str:
    if change.missing:
        return tr("{what} was removed.", what=what)
    if change.added:
        return tr("{what} was added.", what=what)
    if with_fields and change.fields:
        return tr("{what} was changed in {fields}.", what=what, fields=_some(change.fields))
    return tr("{what} was changed.", what=what)


def _some(names: tuple[str, ...]) -> str:
    rest, named = len(names) - MOST_NAMED, ", ".join(names[:MOST_NAMED])
    return tr("{names} and {number} more", names=named, number=rest) if rest > 0 else named


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
