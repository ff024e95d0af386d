"""The GPUs that can be simulated, and the text that chooses them: "6x3090" or "2x3090,1xa100"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.errors import BadInput

MOST_CARDS = 16


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

    @property
    def holds_at_c(self) -> float:
        """Where the card begins to lower its power: at its target, otherwise shortly below its maximum."""
        return self.target_c if self.target_c is not None else self.max_c - 2


MODELS: tuple[Model, ...] = (
    Model("titan-x", "NVIDIA TITAN X (Pascal)", 12_196, 250, 15, 84, 94, 96, 99, 1_531, 5_005, 11.0, 3, 0.160),
    Model("rtx-3090", "NVIDIA GeForce RTX 3090", 24_576, 350, 25, 83, 93, 95, 98, 1_695, 9_751, 71.2, 4, 0.100),
    Model("rtx-4090", "NVIDIA GeForce RTX 4090", 24_564, 450, 22, 83, 90, 92, 97, 2_520, 10_501, 165.2, 4, 0.074),
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

_ITEM = re.compile(r"(?:(\d{1,9})\s*[x×*]\s*)?(.+)")


def parse_simulation(text: str) -> list[Model]:
    """The cards in order. Raises BadInput with the models that are known."""
    models = [model for item in text.split(",") for model in _cards(item.strip(), text)]
    if not 1 <= len(models) <= MOST_CARDS:
        raise BadInput(f"{text!r} asks for {len(models)} simulated GPUs; 1 to {MOST_CARDS} can be simulated.")
    return models


def _cards(item: str, text: str) -> list[Model]:
    match = _ITEM.fullmatch(item.lower())
    name = match[2] if match else item
    if match is None or (word := _word(name)) not in _BY_WORD:
        known = ", ".join(model.key.removeprefix("rtx-") for model in MODELS)
        raise BadInput(f"{text!r} cannot be simulated: {name!r} is no known GPU. Write 6x3090; known are: {known}.")
    return [_BY_WORD[word]] * min(int(match[1] or 1), MOST_CARDS + 1)


def _word(name: str) -> str:
    """ "GeForce RTX 3090", "rtx-3090" and "3090" are the same card."""
    return re.sub(r"nvidia|geforce|tesla|rtx|[^a-z0-9]", "", name)


_BY_WORD = {_word(model.key): model for model in MODELS}
