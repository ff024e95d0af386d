"""The stages that a profile can name: what each is called, what load it puts on, what it finds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stage:
    """A kind of stage. `load` is the worker's load, or None where the runner only watches."""

    kind: str
    title: str
    load: str | None
    finds: str


STAGES: tuple[Stage, ...] = (
    Stage("preflight", "Preflight", None, "missing devices, left-over power limits, a full disk"),
    Stage("idle", "Idle baseline", None, "dead sensors, a device that is hot or busy at rest"),
    Stage("gemm", "Verified GEMM", "gemm", "wrong results of the arithmetic units, repeatable or not"),
    Stage("transformer", "Transformer training", "transformer", "NaN, a loss that does not fall, memory-bound faults"),
    Stage("cooldown", "Cool-down", None, "a device that does not return to rest"),
)
BY_KIND = {stage.kind: stage for stage in STAGES}
