"""What the check of a run's seal found, in words."""

from __future__ import annotations

from contextlib import suppress

from core.burnin.record.chain import SAMPLES, STORED
from core.burnin.record.chain_check import Change
from core.burnin.record.reader import RunReader, UnreadableRecord
from core.burnin.record.rows import MACHINE
from core.burnin.sealing import NOT_SEALED_CHANGE, RunCheck, SealState

MOST_NAMED = 3
"""Fields, metrics or moments that are named of one change."""


def state_sentence(check: RunCheck, subject: str) -> str:
    """The answer in one sentence, and what to do about it."""
    match check.state, check.seal:
        case SealState.INTACT, seal if seal is not None:
            return f"{subject} is intact since it was sealed at {seal.statement.get('sealed_at')} with a known key."
        case SealState.UNKNOWN_KEY, seal if seal is not None:
            return (
                f"{subject} is intact, but its key is unknown here: {seal.key.fingerprint}. Compare that with what its"
                " owner tells you, or give the owner's public key with --key."
            )
        case SealState.CHANGED, _:
            return f"{subject} was CHANGED since it was recorded."
        case SealState.UNSIGNED, _:
            return f"{subject} fits its hash chain, but is not signed. When it has ended, sign it with: rigwright seal."
        case _:
            return f"{subject} is not sealed: it was recorded or written by a program without seals."


def change_lines(store: RunReader, run_id: int, changes: tuple[Change, ...]) -> list[str]:
    """One line for each change: what it is of, and what of that. Where even names are damaged, by numbers."""
    names: dict[str, str] = {}
    stages: dict[str, str] = {}
    with suppress(UnreadableRecord):
        names = {row.device.id: row.device.title for row in store.devices(run_id)}
    with suppress(UnreadableRecord):
        stages = {str(row.number): row.title for row in store.stages(run_id)}
    return [_line(change, names, stages) for change in changes]


def _line(change: Change, names: dict[str, str], stages: dict[str, str]) -> str:
    how = "was removed" if change.missing else "was added" if change.added else "was changed"
    fields = f" in {_some(change.fields)}" if change.fields else ""
    device = names.get(change.subject, change.subject)
    match change.kind:
        case kind if kind == SAMPLES:
            times = f" at {_some(tuple(_clock(time_s) for time_s in change.times_s))}" if change.times_s else ""
            return f"Samples of {device}: {_some(change.fields) or 'what lies in the file'}{times} {how}."
        case kind if kind == STORED:
            return f"Samples of {device}: the stored bytes were changed, their values were not."
        case "link":
            return f"Link {change.subject} of the hash chain was changed."
        case kind if kind == NOT_SEALED_CHANGE:
            return f"The seal does not fit the record{fields}."
        case "verdict":
            return f"The verdict on {'the machine' if change.subject == MACHINE else device} {how}{fields}."
        case "stage":
            return f"Stage {stages.get(change.subject, change.subject)} {how}{fields}."
        case "result":
            number, _, device_id = change.subject.partition(" ")
            stage = stages.get(number, number)
            return f"The result of {stage} on {names.get(device_id, device_id)} {how}{fields}."
        case "device":
            return f"Device {device} {how}{fields}."
        case "start" | "end":
            return f"The facts of the run {how}{fields}."
        case "as-built":
            return f"The machine as built {how}."
        case kind:
            return f"{kind.capitalize()} {change.subject} {how}{fields}."


def _some(names: tuple[str, ...]) -> str:
    rest = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
