"""How fast a network was trained, as evidence. Free of torch, for simulated loads tell the same."""

from __future__ import annotations

from typing import Any, Protocol

from core.loads.meter import Meter


class Work(Protocol):
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


def measured_speed(meter: Meter, work: Work, peak_tflops: float | None) -> dict[str, Any]:
    """`meter` counted steps. Rates are medians of seconds of device time; `variation_pct` is of windows of 10 s."""
    per_s, variation_pct = meter.rate(), meter.variation_pct()
    amount_per_s = None if per_s is None else round(per_s * work.per_step, 1)
    tflops = None if per_s is None or not work.flop_per_step else per_s * work.flop_per_step / 1e12
    return {
        f"{work.unit}_per_s": amount_per_s,
        "step_ms": None if per_s is None else round(1e3 / per_s, 3),
        "tflops": None if tflops is None else round(tflops, 6),
        "peak_tflops": peak_tflops,
        "share_of_peak_pct": None if tflops is None or peak_tflops is None else round(100 * tflops / peak_tflops, 3),
        "variation_pct": None if variation_pct is None else round(variation_pct, 3),
        "windows": len(meter.windows()),
        "rates": {} if amount_per_s is None else {"training": amount_per_s},
        "rate_unit": f"{work.unit}/s",
    }
