"""The stages that a profile can name, in the order in which a full burn-in runs them."""

from __future__ import annotations

from core.burnin.stages.cooldown import Cooldown
from core.burnin.stages.data_parallel import DataParallel
from core.burnin.stages.idle import Idle
from core.burnin.stages.loading import LoadStage
from core.burnin.stages.needs import GPU, SEVERAL_ALIKE, SEVERAL_RANKS
from core.burnin.stages.preflight import Preflight
from core.burnin.stages.replay import Replay
from core.burnin.stages.soak import Soak
from core.burnin.stages.stage import Stage
from core.burnin.stages.sweep import Sweep
from core.burnin.stages.together import TogetherStage
from core.burnin.stages.transients import Transients
from core.burnin.stages.vram import Vram
from core.burnin.stages.whole_system import WholeSystem

MINUTE = 60.0

STAGES: tuple[Stage, ...] = (
    Preflight("preflight", "Preflight", finds="wrong or missing devices, left-over limits, a full disk", seconds=5),
    Idle("idle", "Idle baseline", finds="dead sensors, a device that is hot or busy at rest", seconds=2 * MINUTE),
    LoadStage(
        "known-answer", "Known answers", load="known_answer", seconds=MINUTE,
        finds="stuck faults and wrong arithmetic that every repetition gives again",
    ),
    Vram(
        "vram", "Memory patterns", load="vram", seconds=10 * MINUTE, activity=0.6,
        finds="bad memory cells, address lines, buses and refresh",
    ),
    LoadStage(
        "bandwidth", "Memory bandwidth", load="bandwidth", seconds=30, activity=0.7,
        finds="memory that is clocked down or reads with too few channels",
    ),
    LoadStage(
        "host-link", "Link to the host", load="host_link", seconds=MINUTE, needs=(GPU,), activity=0.2,
        finds="bad risers, slots with too few lanes, a link that fell back to an older generation",
    ),
    LoadStage(
        "functional-units", "Functional units", load="functional_units", seconds=MINUTE, activity=0.5,
        finds="wrong special functions, atomics, sorts and prefix sums, copy engines and video units",
    ),
    TogetherStage(
        "p2p", "GPU to GPU", load="p2p", seconds=MINUTE, needs=(SEVERAL_RANKS,), activity=0.3,
        finds="pairs of GPUs that cannot reach each other, slow or corrupt transfers between them, dead NVLinks",
    ),
    TogetherStage(
        "collectives", "Collectives", load="collectives", seconds=2 * MINUTE, needs=(SEVERAL_RANKS,), activity=0.4,
        finds="communication that hangs or gives wrong sums, and links that are slow when all talk at once",
    ),
    Sweep(
        "gemm", "Verified GEMM", load="gemm", seconds=4 * MINUTE,
        finds="wrong results of the arithmetic units, repeatable or not, and units that are slow",
    ),
    Soak(
        "soak", "Thermal soak", load="gemm", seconds=60 * MINUTE,
        finds="weak cooling, dried paste, slow fans, a supply that cannot keep up",
    ),
    LoadStage(
        "resnet", "ResNet-50 training", load="resnet", seconds=10 * MINUTE,
        finds="faults of convolutions, a loss that does not fall, a host that stutters",
    ),
    LoadStage(
        "lstm", "LSTM training", load="lstm", seconds=10 * MINUTE, activity=0.8,
        finds="faults of recurrent networks, a loss that does not fall",
    ),
    LoadStage(
        "transformer", "Transformer training", load="transformer", seconds=10 * MINUTE,
        finds="NaN, a loss that does not fall, memory-bound faults",
    ),
    LoadStage(
        "own-module", "Training of an own network", load="own_module", seconds=10 * MINUTE,
        finds="what only the network that the machine is for brings to light",
    ),
    DataParallel(
        "data-parallel", "Data-parallel training", load="data_parallel", seconds=9 * MINUTE, needs=(SEVERAL_ALIKE,),
        activity=0.8, finds="links that hold training back, replicas that drift apart",
    ),
    Transients(
        "transients", "Transients", load="transients", seconds=10 * MINUTE, activity=0.6,
        finds="supplies that trip, voltage regulators and boost clocks that are not stable under steps of load",
    ),
    WholeSystem(
        "whole-system", "Whole system", load="gemm", seconds=20 * MINUTE,
        finds="what all parts together ask of supply, regulators, air and the circuit",
    ),
    Replay(
        "replay", "Training replayed", load="replay", seconds=5 * MINUTE,
        finds="rare wrong results that change a training which should repeat bit for bit",
    ),
    Cooldown("cooldown", "Cool-down", finds="damage done by the run, a device that stays busy", seconds=5 * MINUTE),
)  # fmt: skip

BY_KIND = {stage.kind: stage for stage in STAGES}
