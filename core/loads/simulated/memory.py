"""The simulated loads on memory."""

from __future__ import annotations

from collections.abc import Iterator

from core.language import tr
from core.loads.load import Ending, StepReport
from core.loads.memory.evidence import BandwidthEvidence, HostLinkEvidence, VramEvidence
from core.loads.memory.params import BandwidthParams, HostLinkParams, VramParams
from core.loads.selftest import BIT_FLIP, CORRUPTED_TRANSFER, SEEN, SHARED_ADDRESS, STUCK_ADDRESS, STUCK_BIT
from core.loads.simulated.rates import DIRECTIONS, SimulatedModel
from core.loads.simulated.series import Series

GIB = 2**30
BLOCK_BYTES = GIB
HEADROOM_BYTES = GIB // 16
SHARE_OF_FREE = 0.99
SWEEPS_IN_A_PASS = 35
PATTERNS = ("00", "FF", "AA", "55", "address", "address inverted", "random", "random inverted")
SELF_TEST = dict.fromkeys((BIT_FLIP, STUCK_ADDRESS, STUCK_BIT, SHARED_ADDRESS), SEEN)


class SimulatedVram(Series):
    """Passes as fast as the model's memory would allow."""

    def __init__(self, params: VramParams, model: SimulatedModel, *, device_id: str) -> None:
        super().__init__(params, device_id)
        self._total = int(model.memory_gib * GIB)
        self._free = self._total - params.keep_mib * 2**20
        self._tested = int(min(self._total * params.share_pct / 100, self._free * SHARE_OF_FREE))
        self._gbps = model.memory_gbps
        self._asked = params.passes
        self._fade_s = params.fade_s
        self._moved = 0.0

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """Bandwidth, until the time is up or the passes asked for are done."""
        for report in self._moving(seconds, lambda _: self._gbps):
            self._moved += report.moved_bytes
            yield report
            if self._asked and self._passes >= self._asked:
                return

    def finish(self) -> Ending:
        """Failed only by injected faults. One bit of each wrong word is wrong."""
        passes = max(self._passes, 1)
        evidence = VramEvidence(
            self_test=SELF_TEST,
            total_bytes=self._total,
            free_bytes=self._free,
            headroom_bytes=HEADROOM_BYTES,
            tested_bytes=self._tested,
            reached_bytes=self._tested,
            coverage_pct=round(100 * self._tested / self._total, 2),
            coverage_of_free_pct=round(100 * self._tested / self._free, 2),
            coverage_means="SIMULATED",
            blocks=-(-self._tested // BLOCK_BYTES),
            largest_block_bytes=BLOCK_BYTES,
            passes=passes,
            patterns=dict.fromkeys(PATTERNS, passes),
            left_out=(),
            faded_s=self._fade_s,
            wrong_words=self._errors,
            analysed_words=self._errors,
            right_when_read_again=0,
            wrong_bits=self._errors,
            set_to_cleared=self._errors,
            cleared_to_set=0,
            wrong_bits_by_place={"17": self._errors} if self._errors else {},
            wrong_by_block={"0": self._errors} if self._errors else {},
            wrong_by_stride={},
            errors_point_to=tr("SIMULATED: all {errors} errors are in bit 17", errors=self._errors)
            if self._errors
            else "",
            first_wrong=(),
            bandwidth_gbps=round(self._gbps * self._card, 3),
        )
        return self._ending(evidence)

    @property
    def _passes(self) -> int:
        return int(self._moved / (SWEEPS_IN_A_PASS * self._tested))


class SimulatedBandwidth(Series):
    """Copy and triad in turns at the model's bandwidth."""

    def __init__(self, params: BandwidthParams, model: SimulatedModel, *, device_id: str) -> None:
        super().__init__(params, device_id)
        self._buffer_bytes = (params.buffer_mib or 1024) * 2**20
        self._gbps = model.memory_gbps

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """Bandwidth ten times a second."""
        return self._moving(seconds, lambda _: self._gbps)

    def finish(self) -> Ending:
        """Failed only by injected faults."""
        evidence = BandwidthEvidence(
            buffer_bytes=self._buffer_bytes,
            buffers=3,
            cache_bytes=None,
            peak_gbps=None,
            rates=dict.fromkeys(("copy", "triad"), round(self._gbps * self._card, 3)),
            rate_unit="GB/s",
            self_test={CORRUPTED_TRANSFER: SEEN},
        )
        return self._ending(evidence)


class SimulatedHostLink(Series):
    """One direction after another at the rate of the model's link."""

    def __init__(self, params: HostLinkParams, model: SimulatedModel, *, device_id: str) -> None:
        super().__init__(params, device_id)
        self._buffer_bytes = params.buffer_mib * 2**20
        self._per_round = params.transfers * len(DIRECTIONS)
        self._gbps = model.link_gbps

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """Bandwidth ten times a second."""
        shares = list(DIRECTIONS.values())
        return self._moving(seconds, lambda elapsed: self._gbps * shares[int(elapsed) % len(shares)])

    def finish(self) -> Ending:
        """Failed only by injected faults."""
        evidence = HostLinkEvidence(
            buffer_bytes=self._buffer_bytes,
            pinned=True,
            near_processors=0,
            rounds=max(self._checks // self._per_round, 1),
            transfers=self._checks,
            rates={name: round(self._gbps * share * self._card, 3) for name, share in DIRECTIONS.items()},
            rate_unit="GB/s",
            self_test={CORRUPTED_TRANSFER: SEEN},
        )
        return self._ending(evidence)
