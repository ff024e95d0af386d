"""Times of one operation again and again, and the bandwidth that follows from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median

from core.loads.group.evidence import TimingsEvidence


@dataclass(slots=True)
class Timings:
    """Seconds of operations on so many bytes each."""

    size_bytes: int
    seconds: list[float] = field(default_factory=list)

    @property
    def algorithm_gbps(self) -> float | None:
        """Bytes over the median time; None before there was one."""
        return self.size_bytes / median(self.seconds) / 1e9 if self.seconds else None

    def quantile_ms(self, share: float) -> float:
        """The time that this share of the operations did not exceed."""
        import numpy as np  # which nothing else needs where only tables are read

        return 1e3 * float(np.quantile(self.seconds, share))

    def evidence(self, bus_factor: float) -> TimingsEvidence:
        """`bus_factor` makes of the bandwidth of the algorithm that of the busiest link."""
        algorithm = self.algorithm_gbps or 0.0
        return TimingsEvidence(
            bytes=self.size_bytes,
            times=len(self.seconds),
            algbw_gbps=round(algorithm, 4),
            busbw_gbps=round(bus_factor * algorithm, 4),
            p50_ms=round(self.quantile_ms(0.50), 4),
            p99_ms=round(self.quantile_ms(0.99), 4),
        )


def all_reduce_bus_factor(ranks: int) -> float:
    """Of what each link carries in an all-reduce to the bytes reduced (NVIDIA nccl-tests, PERFORMANCE.md)."""
    return 2 * (ranks - 1) / ranks
