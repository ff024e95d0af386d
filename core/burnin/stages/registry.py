"""The stages that a profile can name, in the order in which a full burn-in runs them."""

from __future__ import annotations

from core.burnin.stages.cooldown import Cooldown
from core.burnin.stages.idle import Idle
from core.burnin.stages.loading import LoadStage
from core.burnin.stages.needs import GPU
from core.burnin.stages.preflight import Preflight
from core.burnin.stages.stage import Stage
from core.loads.table import BY_NAME as LOADS

MINUTE = 60.0

_ALL: tuple[Stage, ...] = (
    Preflight("preflight", "Preflight", finds="wrong or missing devices, left-over limits, a full disk", seconds=5),
    Idle("idle", "Idle baseline", finds="dead sensors, a device that is hot or busy at rest", seconds=2 * MINUTE),
    LoadStage(
        "known-answer", "Known answers", load="known_answer", seconds=MINUTE,
        finds="stuck faults and wrong arithmetic that every repetition gives again",
    ),
    LoadStage(
        "vram", "Memory patterns", load="vram", seconds=10 * MINUTE,
        finds="bad memory cells, address lines, buses and refresh",
    ),
    LoadStage(
        "bandwidth", "Memory bandwidth", load="bandwidth", seconds=30,
        finds="memory that is clocked down or reads with too few channels",
    ),
    LoadStage(
        "host-link", "Link to the host", load="host_link", seconds=MINUTE, needs=(GPU,),
        finds="bad risers, slots with too few lanes, a link that fell back to an older generation",
    ),
    LoadStage(
        "gemm", "Verified GEMM", load="gemm", seconds=4 * MINUTE,
        finds="wrong results of the arithmetic units, repeatable or not, and units that are slow",
    ),
    LoadStage("resnet", "ResNet-50 training", load="resnet", seconds=10 * MINUTE,
              finds="faults of convolutions, a loss that does not fall, a host that stutters"),
    LoadStage("lstm", "LSTM training", load="lstm", seconds=10 * MINUTE,
              finds="faults of recurrent networks, a loss that does not fall"),
    LoadStage("transformer", "Transformer training", load="transformer", seconds=10 * MINUTE,
              finds="NaN, a loss that does not fall, memory-bound faults"),
    LoadStage("own-module", "Training of an own network", load="own_module", seconds=10 * MINUTE,
              finds="what only the network that the machine is for brings to light"),
    Cooldown("cooldown", "Cool-down", finds="a device that does not return to rest", seconds=5 * MINUTE),
)  # fmt: skip

STAGES: tuple[Stage, ...] = tuple(stage for stage in _ALL if stage.load is None or stage.load in LOADS)
BY_KIND = {stage.kind: stage for stage in STAGES}
