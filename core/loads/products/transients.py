"""Load that comes and goes on all devices at the same moment: finds PSUs that trip, regulators that ring and clocks
that fail while they change.

Square waves first, steps of load after them; every phase compares at least one result bit for bit.
"""

import time
from collections.abc import Iterator

import torch

from core.loads.load import StepReport
from core.loads.products.availability import SMALLEST, seconds_per_flop, why_unavailable
from core.loads.products.contract import TransientsEvidence, TransientsParams
from core.loads.products.formats import Format, chosen_formats, product_precision
from core.loads.products.sustained import BATCH_S, CheckPolicy, ProductTally, Sustained
from core.loads.products.turns import Segment, SegmentTiming, planned
from core.loads.products.verified import VerifiedProducts
from core.platform.errors import EnvironmentProblem
from core.words import tr

CPU_SIZE = 1024
GPU_SIZE = 8192
PREFERRED = "bfloat16,float16,float32"
PARTS = 16
"""Of a phase that is on: products are so small that several fit, and the phase ends when it should."""
REST_S = 0.2
"""Between signs of life while nothing is computed."""


class TransientsLoad(VerifiedProducts[TransientsParams]):
    """The "transients" load."""

    def __init__(self, params: TransientsParams, device: torch.device) -> None:
        self._format = _format(params.dtype, device)
        size = GPU_SIZE if device.type == "cuda" else CPU_SIZE
        super().__init__(params, device, size=size, formats=(self._format,))

    def _start_afresh(self) -> None:
        super()._start_afresh()
        self._tally = ProductTally()
        self._timings: list[SegmentTiming] = []
        self._left_out: list[Segment] = []

    def _run(self) -> Iterator[StepReport]:
        """The waves, then the steps, in the time that there is."""
        segments, self._left_out = planned(self._params, self._seconds)
        with product_precision(tf32=self._format.tf32):
            per_flop_s = seconds_per_flop(self._format, self._device)
            for place, segment in enumerate(segments):
                later_s = sum(other.seconds for other in segments[place + 1 :])
                timing = SegmentTiming(segment, self._fitting_size(segment, per_flop_s))
                self._timings.append(timing)
                policy = CheckPolicy(batch_s=min(BATCH_S, segment.on_s / PARTS))
                sustained = yield from self._repeated(
                    self._format, timing.size, tally=self._tally, policy=policy, turn=place
                )
                if self._self_test.blind:
                    return
                yield from self._segment(timing, sustained, self._deadline - later_s)
                del sustained

    def _unfinished(self) -> str | None:
        return None if self._cycles and self._tally.compared else tr("Ended before one full load cycle.")

    def _passed(self) -> str:
        checks = self._findings.checks
        return tr("{cycles} load cycles; {checks} results compared, none wrong.", cycles=self._cycles, checks=checks)

    @property
    def _cycles(self) -> int:
        return sum(len(timing.spans) for timing in self._timings)

    # -- one segment ----------------------------------------------------------------------------------------------

    def _segment(self, timing: SegmentTiming, sustained: Sustained, ends: float) -> Iterator[StepReport]:
        """Phases until `ends`, each begun at a multiple of the period."""
        segment = timing.segment
        early_s = 0.0
        while (start := segment.next_start(time.monotonic())) + segment.on_s <= ends or not timing.spans:
            yield from _rest(start)
            began = time.monotonic()
            yield from sustained.run(start + segment.on_s - early_s)
            ended = time.monotonic()
            timing.phase(start, began, ended)
            # What is queued when a phase should end runs on: the next one stops queueing so much earlier.
            early_s = min(max(early_s + (ended - start - segment.on_s) / 2, 0.0), segment.on_s / 2)

    def _fitting_size(self, segment: Segment, per_flop_s: float) -> int:
        """The largest product of which many fit into a phase."""
        size = self._size
        while size > SMALLEST and 2.0 * size**3 * per_flop_s > segment.on_s / PARTS:
            size //= 2
        return size

    def _evidence(self) -> TransientsEvidence:
        return TransientsEvidence(
            format=self._format.name,
            segments={timing.segment.name: timing.evidence() for timing in self._timings},
            left_out=tuple(segment.name for segment in self._left_out),
            products=self._tally.products,
            compared_pct=self._tally.compared_pct,
        )


def _rest(until: float) -> Iterator[StepReport]:
    """Nothing until a moment, with signs of life."""
    while (left_s := until - time.monotonic()) > 0:
        time.sleep(min(left_s, REST_S))
        yield StepReport()


def _format(name: str, device: torch.device) -> Format:
    """The format asked for, or the first of the preferred ones that the device has in hardware.

    Raises EnvironmentProblem where it lacks what was asked for.
    """
    if not name.strip() and device.type != "cuda":
        name = "float32"
    formats = chosen_formats(name.strip() or PREFERRED)
    reasons = [why_unavailable(format_, device) for format_ in formats]
    for format_, reason in zip(formats, reasons, strict=True):
        if reason is None:
            return format_
    raise EnvironmentProblem(" ".join(filter(None, reasons)))
