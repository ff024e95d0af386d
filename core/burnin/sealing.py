"""The seal of a run: made when it ends, held against the record whenever somebody asks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.burnin.profile.file import profile_origin
from core.burnin.profile.profile import profile_digest
from core.burnin.record.absence import Predecessor
from core.burnin.record.chain_check import Change
from core.burnin.record.linked_store import utc_now
from core.burnin.record.reader import RunReader
from core.burnin.record.rows import MACHINE, Outcome, RunStatus, StageStatus, Verdict
from core.burnin.record.store import RunStore
from core.errors import BadInput, RigwrightError
from core.language import english, tr
from core.seal.keys import PublicKey, SigningKey, own_public_key, signing_key
from core.seal.seal import BadSeal, Seal, read_seal, sign
from core.worded import Worded

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
        raise BadInput(
            tr(
                "Run {run_id} has no verdict yet: it is {status}. A run is sealed when it has ended.",
                run_id=run_id,
                status=run.status.label,
            )
        )
    if (kept := store.seal(run_id)) is not None:
        return read_seal(kept)
    found = store.check_chain(run_id)
    if found is None:
        return None
    if found.changes:
        raise BadInput(
            tr(
                "Run {run_id} was changed since it was recorded: it is not sealed. See: {rigwright verify} {run_id}",
                run_id=run_id,
            )
        )
    return _signed(store, run_id, found.head, signing_key(store.path.parent, passphrase))


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
    found = store.check_chain(run_id)
    word = store.seal(run_id)
    if found is None:
        store.run(run_id)
        return RunCheck(SealState.NOT_SEALED if word is None else SealState.CHANGED)
    if word is None:
        state = SealState.CHANGED if found.changes else SealState.UNSIGNED
        return RunCheck(state, found.changes, head=found.head)
    try:
        seal = read_seal(word)
    except BadSeal:
        changes = (*found.changes, Change(NOT_SEALED_CHANGE))
        return RunCheck(SealState.CHANGED, changes, head=found.head)
    recorded = _statement(store, run_id, found.head) if not found.changes else {}
    different = tuple(name for name, value in recorded.items() if not _says(seal, name, value))
    changes = (*found.changes, *([Change(NOT_SEALED_CHANGE, "", different)] if different else []))
    if changes:
        return RunCheck(SealState.CHANGED, changes, seal, found.head)
    known = seal.key in known_keys(store.path.parent, trusted)
    return RunCheck(SealState.INTACT if known else SealState.UNKNOWN_KEY, (), seal, found.head)


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
