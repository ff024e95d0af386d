"""The GPUs that can be simulated."""

from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Model:
    """What a simulated card is made of. Temperatures in C; `k_per_w` from core to inlet air with its fan at 100 %."""

    key: str
    name: str
    memory_mb: int
    power_limit_w: float
    idle_w: float
    target_c: float | None
    max_c: float
    slowdown_c: float
    shutdown_c: float
    boost_mhz: float
    memory_mhz: float
    tflops: float
    """Dense FP16 with FP32 accumulation; FP32 where the card has no fast FP16."""
    pcie_generation: int
    k_per_w: float
    fans: bool = True
    """Cards without fans are cooled by the chassis and have HBM that reports its temperature."""
    memory_max_c: float | None = None
    full_load: float = 1.08
    """Share of the limit that matrix products would draw if they were let: above 1 the card runs at its limit."""
    inlet_above_k: float | None = None
    """How much warmer than the room its intake air gets when all cards of the machine work; None: by its neighbours."""
    slot: int | None = None
    """Position of its slot in a plan."""
    lanes: int = 16
    rates: dict[str, float] = field(default_factory=dict)
    """What its loads reach, for a card that is in no table of theirs: TFLOPS by number format, and "memory_gib",
    "memory_gbps", "link_gbps"."""

    @property
    def has_ecc(self) -> bool:
        """Cards with HBM count memory errors, and the driver tells."""
        return self.memory_max_c is not None

    @property
    def holds_at_c(self) -> float:
        """Where the card begins to lower its power: at its target, otherwise shortly below its maximum."""
        return self.target_c if self.target_c is not None else self.max_c - 2


MODELS: tuple[Model, ...] = (
    Model("titan-x", "NVIDIA TITAN X (Pascal)", 12_196, 250, 15, 84, 94, 96, 99, 1_531, 5_005, 11.0, 3, 0.160),
    Model("rtx-3090", "NVIDIA GeForce RTX 3090", 24_576, 350, 25, 83, 93, 95, 98, 1_695, 9_751, 71.2, 4, 0.100),
    Model(
        "rtx-4090", "NVIDIA GeForce RTX 4090", 24_564, 450, 22, 83, 90, 92, 97, 2_520, 10_501, 165.2, 4, 0.074,
        full_load=0.94,
    ),
    Model("rtx-5090", "NVIDIA GeForce RTX 5090", 32_607, 575, 30, None, 90, 92, 95, 2_407, 14_001, 209.5, 5, 0.066),
    Model(
        "v100", "Tesla V100-PCIE-16GB", 16_160, 250, 25, None, 83, 87, 90, 1_380, 877, 112.0, 3, 0.160,
        fans=False, memory_max_c=85,
    ),
    Model(
        "a100", "NVIDIA A100 80GB PCIe", 81_920, 300, 45, None, 85, 89, 92, 1_410, 1_512, 312.0, 4, 0.130,
        fans=False, memory_max_c=95,
    ),
    Model(
        "h100", "NVIDIA H100 PCIe", 81_559, 350, 50, None, 87, 89, 92, 1_755, 1_593, 756.0, 5, 0.115,
        fans=False, memory_max_c=95,
    ),
)  # fmt: skip
"""Power, memory, clocks and peaks after data sheets; limits after what drivers of these cards report; the thermal
resistance and idle power are chosen so that a lone card behaves like one in an open case."""


def find_model(name: str) -> Model | None:
    """ "GeForce RTX 3090", "rtx-3090" and "3090" are the same card; None for one that is not known."""
    return _BY_WORD.get(_word(name))


def known_models() -> str:
    """For sentences about a name that is not known."""
    return ", ".join(model.key.removeprefix("rtx-") for model in MODELS)


def _word(name: str) -> str:
    return re.sub(r"nvidia|geforce|tesla|rtx|[^a-z0-9]", "", name.lower())


_BY_WORD = {_word(model.key): model for model in MODELS}
