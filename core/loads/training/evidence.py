"""What the training loads tell, and how fast a network was trained. Free of torch: simulated loads tell the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from core.loads.evidence import FOR_PROGRAMS, Rated, Rates, RunEvidence
from core.loads.meter import Meter


@dataclass(frozen=True, kw_only=True)
class Speed(Rated):
    """Rates are medians of seconds of device time; `variation_pct` is of windows of 10 s. `tflops` counts the products
    of forward and backward pass."""

    images_per_s: float | None = None
    tokens_per_s: float | None = None
    items_per_s: float | None = None
    step_ms: float | None
    tflops: float | None
    peak_tflops: float | None
    share_of_peak_pct: float | None
    variation_pct: float | None
    windows: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingEvidence(Speed, RunEvidence):
    """Losses in nats per answer. `verification_pct` is what reading and comparing losses added to the device's time."""

    network: str | None
    shape: Mapping[str, Any] | None = field(metadata=FOR_PROGRAMS)
    parameters: int | None
    precision: str | None
    vouches_for: tuple[str, ...] | None
    """What is compared bit by bit."""
    steps: int | None
    first_loss: float | None
    last_loss: float | None
    accuracy_pct: float | None
    starts: int | None
    replays_identical: bool | None
    verification_pct: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedTraining:
    """Hashes of losses and weights after a seeded training, and all that they depend on."""

    device: str | None
    torch: str | None
    cuda: str | None
    network: str | None
    shape: Mapping[str, Any] | None = field(metadata=FOR_PROGRAMS)
    precision: str | None
    seed: int | None = field(metadata=FOR_PROGRAMS)
    steps: int | None
    threads: int | None = field(metadata=FOR_PROGRAMS)
    loss_hash: str | None
    weight_hash: str | None

    @property
    def hashes(self) -> tuple[str | None, str | None]:
        """What like devices have in common."""
        return self.loss_hash, self.weight_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayEvidence(RunEvidence):
    """`replay` is there after a whole run."""

    replay: ReplayedTraining | None = None
    network: str | None
    precision: str | None
    vouches_for: tuple[str, ...] | None
    runs: int | None
    steps: int | None
    states_compared: int | None


class TrainingWork(Protocol):
    """What one training step takes in and does; see core.loads.training.task."""

    @property
    def unit(self) -> str:
        """ "images", "tokens" or "items"."""
        ...

    @property
    def per_step(self) -> int:
        """How many of them."""
        ...

    @property
    def flop_per_step(self) -> float:
        """Operations, forward and backward; 0 if not known."""
        ...


def measured_speed(meter: Meter, work: TrainingWork, peak_tflops: float | None) -> dict[str, Any]:
    """The fields of `Speed`; `meter` counted steps."""
    per_s, variation_pct = meter.rate(), meter.variation_pct()
    amount_per_s = None if per_s is None else round(per_s * work.per_step, 1)
    tflops = None if per_s is None or not work.flop_per_step else per_s * work.flop_per_step / 1e12
    rates: Rates = {} if amount_per_s is None else {"training": amount_per_s}
    return {
        f"{work.unit}_per_s": amount_per_s,
        "step_ms": None if per_s is None else round(1e3 / per_s, 3),
        "tflops": None if tflops is None else round(tflops, 6),
        "peak_tflops": peak_tflops,
        "share_of_peak_pct": None if tflops is None or peak_tflops is None else round(100 * tflops / peak_tflops, 3),
        "variation_pct": None if variation_pct is None else round(variation_pct, 3),
        "windows": len(meter.windows()),
        "rates": rates,
        "rate_unit": f"{work.unit}/s",
    }
