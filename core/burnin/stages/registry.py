"""The stages that a profile can name, in the order in which a full burn-in runs them; when two did the same work."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from core.burnin.profile.profile import StageSettings
from core.burnin.stages.loading import LoadStage, Vram
from core.burnin.stages.preflight import Preflight
from core.burnin.stages.replay import Replay
from core.burnin.stages.soak import Soak
from core.burnin.stages.stage import GPU, SEVERAL_ALIKE, SEVERAL_RANKS, Stage
from core.burnin.stages.sweep import Sweep, Transients, WholeSystem
from core.burnin.stages.together import DataParallel, TogetherStage
from core.burnin.stages.watching import Cooldown, Idle
from core.words import tr

MINUTE = 60.0
NOT_THE_WORKLOAD = ("seed", "inject", "inject_at", "dtypes", "fill_pct", "check_every", "peak_tflops", "path")
"""Parameters that leave the rates of a step as they are; number formats have rates of their own."""

WorkloadKey = tuple[tuple[str, str], ...]

STAGES: tuple[Stage, ...] = (
    Preflight(
        "preflight", tr("Preflight"), seconds=5, stage_of=lambda kind: BY_KIND[kind],
        finds=tr("wrong or missing devices, left-over limits, a full disk"),
    ),
    Idle("idle", tr("Idle baseline"), finds=tr("dead sensors, a device that is hot or busy at rest"),
         seconds=2 * MINUTE),
    LoadStage(
        "known-answer", tr("Known answers"), load="known_answer", seconds=MINUTE,
        finds=tr("stuck-at faults and wrong arithmetic that repeats every time"),
    ),
    Vram(
        "vram", tr("Memory patterns"), load="vram", seconds=10 * MINUTE, activity=0.6,
        finds=tr("bad memory cells, address lines, buses and refresh"),
    ),
    LoadStage(
        "bandwidth", tr("Memory bandwidth"), load="bandwidth", seconds=30, activity=0.7,
        finds=tr("memory that is clocked down or runs on too few channels"),
    ),
    LoadStage(
        "host-link", tr("Link to the host"), load="host_link", seconds=MINUTE, needs=(GPU,), activity=0.2,
        finds=tr("bad risers, slots with too few lanes, a link that fell back to an older generation"),
    ),
    LoadStage(
        "functional-units", tr("Functional units"), load="functional_units", seconds=MINUTE, activity=0.5,
        finds=tr("wrong special functions, atomics, sorts and prefix sums, copy engines and video units"),
    ),
    TogetherStage("p2p", tr("GPU to GPU"), load="p2p", seconds=MINUTE, needs=(SEVERAL_RANKS,), activity=0.3,
                  finds=tr("pairs of GPUs that cannot reach each other, slow or corrupt transfers between them, "
                           "dead NVLinks")),
    TogetherStage(
        "collectives", tr("Collectives"), load="collectives", seconds=2 * MINUTE, needs=(SEVERAL_RANKS,), activity=0.4,
        finds=tr("communication that hangs or gives wrong sums, and links that are slow when all are busy "
"at once"),
    ),
    Sweep(
        "gemm", tr("Verified GEMM"), load="gemm", seconds=4 * MINUTE,
        finds=tr("wrong results of the arithmetic units, repeatable or not, and units that are slow"),
    ),
    Soak(
        "soak", tr("Thermal soak"), load="gemm", seconds=60 * MINUTE,
        finds=tr("weak cooling, dried paste, slow fans, a PSU that cannot keep up"),
    ),
    LoadStage(
        "resnet", tr("ResNet-50 training"), load="resnet", seconds=10 * MINUTE,
        finds=tr("convolution faults, a loss that does not fall, a host that stutters"),
    ),
    LoadStage(
        "lstm", tr("LSTM training"), load="lstm", seconds=10 * MINUTE, activity=0.8,
        finds=tr("recurrent-network faults, a loss that does not fall"),
    ),
    LoadStage(
        "transformer", tr("Transformer training"), load="transformer", seconds=10 * MINUTE,
        finds=tr("NaN, a loss that does not fall, memory-bound faults"),
    ),
    LoadStage(
        "inference", tr("Language model inference"), load="inference", seconds=2 * MINUTE, activity=0.7,
        finds=tr("wrong tokens, a KV cache or weights that change in memory, slow prefill and decoding"),
    ),
    LoadStage(
        "own-module", tr("Custom network training"), load="own_module", seconds=10 * MINUTE,
        finds=tr("faults that only the machine's intended network shows"),
    ),
    DataParallel("data-parallel", tr("Data-parallel training"), load="data_parallel", seconds=9 * MINUTE,
                 needs=(SEVERAL_ALIKE,), activity=0.8,
                 finds=tr("links that hold training back, replicas that drift apart")),
    Transients(
        "transients", tr("Transients"), load="transients", seconds=10 * MINUTE, activity=0.6,
        finds=tr("PSUs that trip, voltage regulators and boost clocks that are unstable under load steps"),
    ),
    WholeSystem(
        "whole-system", tr("Whole system"), load="gemm", seconds=20 * MINUTE,
        finds=tr("what all parts together demand of PSU, regulators, airflow and circuit"),
    ),
    Replay(
        "replay", tr("Training replayed"), load="replay", seconds=5 * MINUTE,
        finds=tr("rare wrong results in a training run that should repeat bit for bit"),
    ),
    Cooldown("cooldown", tr("Cool-down"), finds=tr("damage done by the run, a device that stays busy"),
             seconds=5 * MINUTE),
)  # fmt: skip

BY_KIND: dict[str, Stage] = {stage.kind: stage for stage in STAGES}


def workload_key(stage: StageSettings) -> WorkloadKey:
    """The parameters of the load that decide what a step of it is, such as batch and precision.

    Speeds can be compared only where keys are equal. Empty where all are the usual ones. A stage that this program
    does not know is like none but its equal.
    """
    kind = BY_KIND.get(stage.kind)
    params = stage.params if kind is None else kind.of_load(stage.params)
    fields = {} if kind is None else kind.params.model_fields
    usual = {name: fields[name].default for name in params if name in fields}
    of_step = {name: value for name, value in params.items() if name not in NOT_THE_WORKLOAD}
    return tuple(
        sorted((name, repr(value)) for name, value in of_step.items() if name not in usual or value != usual[name])
    )


class StageGroup(StrEnum):
    """What stages are for, in the order in which a profile has them: a sick machine is known before the long ones."""

    SANITY = "sanity"
    """Whether all is here, and can compute at all."""
    VALIDATION = "validation"
    """Whether every part gives right results."""
    PERFORMANCE = "performance"
    """Whether every part is as fast as it shall be."""
    STRESS = "stress"
    """Heat, changing loads, all at once, and what is left of it."""


GROUPS: Mapping[str, StageGroup] = {
    **dict.fromkeys(("preflight", "idle", "known-answer"), StageGroup.SANITY),
    **dict.fromkeys(("functional-units", "p2p", "vram", "replay"), StageGroup.VALIDATION),
    **dict.fromkeys(("bandwidth", "host-link", "collectives", "gemm"), StageGroup.PERFORMANCE),
    **dict.fromkeys(
        ("soak", "resnet", "lstm", "transformer", "inference", "own-module", "data-parallel"), StageGroup.STRESS
    ),
    **dict.fromkeys(("transients", "whole-system", "cooldown"), StageGroup.STRESS),
}
"""By kind of stage."""
