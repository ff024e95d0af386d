"""The process of one rank: `python -m core.loads.group.rank`, speaking JSON lines with its worker.

Reports (`type`):
    joined  all ranks have met
    doing   what: what comes next, named when nothing comes back from it
    step    the fields of StepReport
    done    status ("passed", "failed" or "not_run"), reason, evidence
    cut_off reason: another rank has gone
One command: {"type": "start", "work": name, "params": {...}, "until": s, "rank": r, "size": n, "meeting": path,
"device": "cuda" or "cpu", "timeout_s": s, "dead_man": s}. `until` is on the machine's monotonic clock: starting counts
as well. It may come again after either. The process ends with its standard input, and when its worker gives no sign of
life for `dead_man`.
"""

from __future__ import annotations

import signal
import time
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from core.loads.blame import Blame, cause_of, first_line
from core.loads.dead_man import DeadMan
from core.loads.load import Ending, LoadStatus, StepReport
from core.loads.params import checked
from core.loads.table import load_entry, located
from core.platform.errors import RigwrightError
from core.platform.protocol import Channel, Message, open_channel

if TYPE_CHECKING:
    from core.loads.group.process_group import GroupWork

LOST = ("Connection closed by peer", "Connection reset by peer", "ncclRemoteError", "remote process exited")
"""In errors that say only that another rank has gone."""


def main() -> None:
    """Serves until standard input closes."""
    channel = open_channel()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        order = channel.receive(timeout_s=None)
        if order is not None and order["type"] == "start":
            with DeadMan(lambda: channel.silent_s, order["dead_man"]):
                ending = answer(order, channel)
            # First the answer: taking a broken group apart may take for ever.
            if isinstance(ending, CutOff):
                channel.send("cut_off", reason=ending.reason)
            else:
                channel.send("done", status=ending.status, reason=ending.reason, evidence=ending.evidence.as_dict())
            from core.loads.group.process_group import dissolve

            dissolve()


@dataclass(frozen=True, slots=True)
class CutOff:
    """The work could not go on, since another rank has gone."""

    reason: str


def answer(order: Message, channel: Channel) -> Ending | CutOff:
    """Does the work of one order and tells how it ended."""
    from core.loads.group.process_group import ProcessGroup

    try:
        group = ProcessGroup.met(order)
        channel.send("joined")
        entry = load_entry(order["work"])
        entry.require_together()
        params = checked(entry.params, order["params"])
        work: GroupWork[Any] = located(entry.computes)(params, group, lambda what: channel.send("doing", what=what))
        for report in work.steps(max(float(order["until"]) - time.monotonic(), 0.0)):
            channel.send("step", **_as_message(report))
        group.part()
        ending = work.finish()
    except RigwrightError as refusal:
        return Ending(LoadStatus.NOT_RUN, str(refusal))
    except (RuntimeError, MemoryError) as error:
        return _ended_by(error)
    return ending


def _as_message(report: StepReport) -> dict[str, Any]:
    plain = {field.name: getattr(report, field.name) for field in fields(report)}
    return {**plain, "faults": [(fault.kind.value, fault.message, fault.count) for fault in report.faults]}


def _ended_by(error: RuntimeError | MemoryError) -> Ending | CutOff:
    if any(sign in str(error) for sign in LOST):
        return CutOff(first_line(error))
    cause = cause_of(error)
    status = LoadStatus.FAILED if cause.blame is Blame.DEVICE else LoadStatus.NOT_RUN
    return Ending(status, cause.sentence)


if __name__ == "__main__":
    main()
