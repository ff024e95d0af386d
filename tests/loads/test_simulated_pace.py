"""A simulated load computes as fast as the clock of its card allows, and says so in what it measured."""

from __future__ import annotations

from typing import Any

import pytest

from core.loads.loop import Loop, Totals
from core.loads.simulated.bench import open_simulated


class Commands:
    """A channel whose parent says this at once."""

    silent_s = 0.0

    def __init__(self, *messages: dict[str, Any]) -> None:
        self._messages = list(messages)
        self.sent: list[dict[str, Any]] = []

    def receive(self, timeout_s: float | None = 0.0) -> dict[str, Any] | None:
        return self._messages.pop(0) if self._messages else None

    def send(self, type_: str, **fields: Any) -> None:
        self.sent.append({"type": type_, **fields})


def rate(load: str, name: str, *messages: dict[str, Any], params: dict[str, Any] | None = None) -> float:
    bench = open_simulated("rtx-3090", device_id="SIM-0-rtx-3090")
    channel = Commands(*messages)
    made = bench.make(load, params or {})
    Loop(made, channel, seconds=0.5, totals=Totals()).run()  # type: ignore[arg-type]
    evidence = made.finish().evidence.as_dict()
    return float(evidence["rates"][name])


@pytest.mark.parametrize("share", [0.55, 0.9])
def test_products_follow_the_clock_and_the_memory_does_not(share: float) -> None:
    paced = {"type": "pace", "share": share}
    own = {"dtypes": "float32"}
    full = rate("gemm", "float32", params=own)
    assert share <= rate("gemm", "float32", paced, params=own) / full <= share + 0.25 * (1 - share)
    assert rate("bandwidth", "copy", paced) == rate("bandwidth", "copy")


def test_a_pace_that_makes_no_sense_is_kept_within_its_bounds() -> None:
    full = rate("gemm", "float32", params={"dtypes": "float32"})
    too_fast = rate("gemm", "float32", {"type": "pace", "share": 7}, params={"dtypes": "float32"})
    assert too_fast == pytest.approx(full)
