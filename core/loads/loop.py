"""Drives any load: heartbeats, faults, stop requests, memory that does not suffice."""

import contextlib
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from core.loads.blame import Blame, ErrorCause, cause_of
from core.loads.dead_man import DeadMan
from core.loads.evidence import RunEvidence
from core.loads.load import Ending, Fault, FaultKind, Load, LoadStatus, Paced, StepReport, StopCause
from core.platform.errors import RigwrightError
from core.platform.protocol import Channel
from core.words import tr

HEARTBEAT_S = 0.5


@dataclass(slots=True)
class Totals:
    """Counts over the life of a worker, so that a series of samples never falls between stages."""

    checks: int = 0
    errors: int = 0


def heartbeat_metrics(window: StepReport) -> dict[str, float]:
    """Only what was measured since the last heartbeat: a load that trains nothing has no loss."""
    metrics = _rates(window) if window.busy_s > 0 else {}
    if window.loss is not None and math.isfinite(window.loss):
        metrics["loss"] = window.loss
    if window.accuracy_pct is not None:
        metrics["accuracy_pct"] = window.accuracy_pct
    return metrics


def _rates(window: StepReport) -> dict[str, float]:
    tflops = window.flop / window.busy_s / 1e12
    rates = {
        "throughput_tflops": tflops,
        "share_of_peak_pct": 100 * tflops / window.peak_tflops if window.peak_tflops else 0.0,
        "tokens_per_s": window.tokens / window.busy_s,
        "images_per_s": window.images / window.busy_s,
        "step_ms": 1e3 * window.busy_s / window.training_steps if window.training_steps else 0.0,
        "bandwidth_gbps": window.moved_bytes / window.busy_s / 1e9,
    }
    return {name: rate for name, rate in rates.items() if rate > 0}


class Loop:
    """One load's run on a worker. The reports go out on `channel`; `totals` outlives the loop.

    With `dead_man` the load ends when nothing comes on the channel any more.
    """

    def __init__(
        self, load: Load, channel: Channel, *, seconds: float, totals: Totals, dead_man: DeadMan | None = None
    ) -> None:
        self._load = load
        self._channel = channel
        self._seconds = seconds
        self._totals = totals
        self._started = self._beat_at = time.monotonic()
        self._window = StepReport()
        """What happened since the last heartbeat."""
        self._wrong = 0
        self._first_fault = ""
        self._shrunk = 0
        self._dead_man = dead_man

    def run(self) -> Ending:
        """Runs to the end, to a stop, or to an error; never raises what the framework raises."""
        self._beat()
        with self._dead_man or contextlib.nullcontext():
            ending = self._run()
        self._beat()
        return self._with_shrinking(ending) if self._shrunk else ending

    def _run(self) -> Ending:
        while True:
            left_s = max(self._seconds - (time.monotonic() - self._started), 0.0)
            try:
                return self._conclude(stopped=self._drive(self._load.steps(left_s)))
            except RigwrightError as refusal:
                return Ending(LoadStatus.NOT_RUN, refusal.sentence, self._evidence(), cause_of(refusal).sticky)
            except (RuntimeError, MemoryError) as error:
                cause = cause_of(error)
                if cause.blame is not Blame.MEMORY or cause.sticky:
                    return self._broken(cause)
            # Outside the except block, so that the traceback no longer holds the tensors that filled the memory.
            if self._wrong:
                return self._conclude(stopped=None)
            if not self._load.shrink():
                sentence = tr("Not enough free memory, even for the smallest size. End other programs on this device.")
                return Ending(LoadStatus.NOT_RUN, sentence, self._evidence())
            self._shrunk += 1

    def _drive(self, steps: Iterator[StepReport]) -> StopCause | None:
        """Takes steps until they end or shall be judged as they are (None), or the load must stop (why)."""
        for report in steps:
            self._count(report)
            if time.monotonic() - self._beat_at >= HEARTBEAT_S:
                self._beat()
            if command := self._ending_command():
                return StopCause.REQUESTED if command == "stop" else None
            if self._dead_man is not None and self._dead_man.stops:
                return StopCause.UNSUPERVISED
        return None

    def _count(self, report: StepReport) -> None:
        wrong = sum(fault.count for fault in report.faults)
        self._totals.checks += report.checks
        self._totals.errors += wrong
        if report.faults and not self._wrong:
            # The first fault goes out at once; a broken device's flood is gathered until the next heartbeat.
            self._first_fault = report.faults[0].message
            self._send_faults(report.faults)
            report = replace(report, faults=())
        self._wrong += wrong
        self._window = self._window.joined(report)

    def _ending_command(self) -> str | None:
        """A command that ends the load: "stop", or "conclude" where its time is over earlier than planned."""
        while (message := self._channel.receive()) is not None:
            if message["type"] in ("stop", "conclude"):
                return str(message["type"])
            if message["type"] == "pace" and isinstance(self._load, Paced):
                self._load.pace = min(1.0, max(0.0, float(message.get("share", 1.0))))
        return None

    def _beat(self) -> None:
        self._send_faults(self._window.faults)
        now = time.monotonic()
        counts = {"checks": self._totals.checks, "errors": self._totals.errors}
        fraction = min((now - self._started) / self._seconds, 1.0)
        self._channel.send(
            "progress", fraction=fraction, metrics={**heartbeat_metrics(self._window), **counts}, measured_s=now
        )
        self._window = StepReport()
        self._beat_at = now

    def _send_faults(self, faults: tuple[Fault, ...]) -> None:
        for kind in dict.fromkeys(fault.kind for fault in faults):
            alike = [fault for fault in faults if fault.kind is kind]
            count = sum(fault.count for fault in alike)
            self._channel.send("fault", kind=kind.value, message=alike[0].message, count=count)

    def _conclude(self, *, stopped: StopCause | None) -> Ending:
        ending = self._load.finish()
        if ending.status is LoadStatus.FAILED:
            return ending
        if self._wrong:
            return Ending(LoadStatus.FAILED, self._first_fault, ending.evidence)
        if stopped:
            return Ending(LoadStatus.STOPPED, "", ending.evidence, stop=stopped)
        return ending

    def _with_shrinking(self, ending: Ending) -> Ending:
        """A smaller load is a weaker one: whoever judges shall know."""
        note = tr("Free memory was not enough at first; the load was reduced {shrunk} times.", shrunk=self._shrunk)
        return replace(ending, evidence=replace(ending.evidence.with_warnings(note), shrunk=self._shrunk))

    def _broken(self, cause: ErrorCause) -> Ending:
        """Only what the device did fails it; wrong results that it gave before are not forgotten for any cause."""
        if cause.blame is Blame.DEVICE:
            self._count(StepReport(faults=(Fault(FaultKind.ERROR, cause.sentence),)))
            return Ending(LoadStatus.FAILED, cause.sentence, self._evidence(), cause.sticky)
        status, reason = (LoadStatus.FAILED, self._first_fault) if self._wrong else (LoadStatus.NOT_RUN, cause.sentence)
        return Ending(status, reason, self._evidence(), cause.sticky)

    def _evidence(self) -> RunEvidence:
        """What the load counted; nothing where asking for it meets the same error again."""
        try:
            return self._load.finish().evidence
        except RuntimeError:
            return RunEvidence()
