"""How fast simulated cards are in every load: all rates and shares that the simulated loads go by.

Plausible, not measured; nothing is judged by them.
"""

import json
import math
import re
from dataclasses import dataclass

from core.loads.training.contract import Precision
from core.platform.errors import BadInput
from core.words import tr
from core.words.phrasing import names_in


@dataclass(frozen=True, slots=True)
class SimulatedModel:
    """Speeds that a healthy card of the model might show in the loads."""

    title: str
    memory_gib: float
    memory_gbps: float
    """Of copy and triad: below the data sheet's figure, as on real cards."""
    link_gbps: float
    """Pinned memory to or from the host, one way."""
    tflops: dict[str, float]
    """By number format; absent formats are not offered."""


MODELS: tuple[SimulatedModel, ...] = (
    SimulatedModel("RTX 5090", 31.8, 1600.0, 56.0, {
        "float32": 88.0, "tf32": 92.0, "float16": 190.0, "bfloat16": 190.0, "float8": 370.0, "float64": 1.5}),
    SimulatedModel("RTX 4090", 24.0, 920.0, 25.0, {
        "float32": 62.0, "tf32": 75.0, "float16": 152.0, "bfloat16": 152.0, "float8": 300.0, "float64": 1.2}),
    SimulatedModel("RTX 3090", 24.0, 790.0, 25.0, {
        "float32": 25.0, "tf32": 33.0, "float16": 65.0, "bfloat16": 65.0, "float64": 0.5}),
    SimulatedModel("TITAN X", 12.0, 380.0, 12.0, {"float32": 9.6, "float16": 8.1, "float64": 0.3}),
    SimulatedModel("V100", 16.0, 790.0, 12.0, {"float32": 13.4, "float16": 92.0, "float64": 6.8}),
    SimulatedModel("A100", 80.0, 1720.0, 25.0, {
        "float32": 18.6, "tf32": 128.0, "float16": 250.0, "bfloat16": 252.0, "float64": 18.2}),
    SimulatedModel("H100", 80.0, 1800.0, 52.0, {
        "float32": 49.0, "tf32": 380.0, "float16": 640.0, "bfloat16": 655.0, "float8": 1150.0, "float64": 58.0}),
)  # fmt: skip

GENERIC = SimulatedModel("GPU", 24.0, 600.0, 24.0, {"float32": 20.0, "float16": 60.0, "float64": 0.6})
"""For words that name none of them."""


def find_model(words: str) -> SimulatedModel:
    """The model named by free text such as "rtx-3090" or "SIM NVIDIA TITAN X"; the generic one for unknown words.

    Or one that is described: {"title": "RTX A2000", "float32": 7.2, "memory_gib": 6, "memory_gbps": 250}
    """
    if words.startswith("{"):
        return _described(words)
    tokens = set(re.findall(r"[a-z0-9]+", words.lower()))
    meant = [model for model in MODELS if tokens.issuperset(model.title.lower().removeprefix("rtx ").split())]
    return meant[0] if meant else GENERIC


def _described(text: str) -> SimulatedModel:
    """What is not told is the generic model's. Raises BadInput."""
    try:
        description = json.loads(text)
        rates = {name: float(value) for name, value in description.items() if name != "title"}
    except (ValueError, TypeError, AttributeError) as error:
        raise BadInput(tr("{text!r} does not describe a card to simulate.", text=text[:60])) from error
    shape = {name: rates.pop(name, getattr(GENERIC, name)) for name in ("memory_gib", "memory_gbps", "link_gbps")}
    return SimulatedModel(str(description.get("title", "GPU")), **shape, tflops=rates or GENERIC.tflops)


DIRECTIONS = {"to_device": 1.0, "to_host": 1.03, "both": 1.7}
"""Of the link to the host, each with the share of one way's rate that it reaches."""
UNITS = {"special functions": 0.8, "atomics and shared memory": 0.1, "copy engines": 0.05}
"""Functional units, each with the share of the memory's bandwidth that it might reach."""
BESIDE_MEMORY = 0.9
"""Share of its speed that a format keeps beside a memory stream."""
PROCESSORS_TFLOPS = 0.5
"""Of the machine's processors together."""
BUSBW_OF_LINK = 0.45
"""What an all-reduce makes of a link without direct access between cards."""
PAIR_OF_LINK = 0.85
PAIR_US = 12.0
DUPLEX_OF_PAIR = 0.9
OVERLAP = 0.6
"""The share of adding up gradients that is hidden behind the computation."""
REPLAY_STEPS_PER_S = 40.0
FORMATS = {
    Precision.FP32: ("float32",),
    Precision.TF32: ("tf32", "float32"),
    Precision.AMP_BF16: ("bfloat16", "float16", "float32"),
    Precision.AMP_FP16: ("float16", "float32"),
}
"""By which speed of the simulated model the training goes: the first that it has."""


@dataclass(frozen=True, slots=True)
class SimulatedWork:
    """A training step of the size that a GPU of 24 GB is given, and the share of the peak that it might reach."""

    network: str
    unit: str
    per_step: int
    flop_per_step: float
    first_loss: float
    efficiency: float

    def precision(self, chosen: Precision) -> str:
        """As the real load names it."""
        return chosen.computed(recurrent_in_fp16=chosen.half and self.network == "lstm")


RESNET = SimulatedWork("resnet", "images", 448, 448 * 24.5e9, math.log(1000), 0.35)
LSTM = SimulatedWork("lstm", "tokens", 6400, 6400 * 0.4e9, math.log(32_000), 0.4)
OWN = SimulatedWork("own_module", "items", 64, 64 * 20e9, 1.0, 0.3)
"""Nothing is known of a user's own network, and nothing of it is run."""
GPT_2_MEDIUM = SimulatedWork("transformer", "tokens", 8192, 8192 * 2.4e9, math.log(50_304), 0.55)

PREFILL_EFFICIENCY = 0.6
DECODE_OF_MEMORY = 0.75
"""Shares of the speed of products and of the memory that a language model might reach."""


def steps_per_s(work: SimulatedWork, model: SimulatedModel, precision: Precision) -> float:
    """How fast the model might train."""
    return work.efficiency * tflops_in(precision, model) * 1e12 / work.flop_per_step


def tflops_in(precision: Precision, model: SimulatedModel) -> float:
    """Of products in this precision, or in the next that the model has."""
    return next(model.tflops[name] for name in FORMATS[precision] if name in model.tflops)


def named_rates(dtypes: str, model: SimulatedModel) -> dict[str, float]:
    """The model's speeds in the formats asked for, in that order; all for an empty list. Raises BadInput."""
    formats = names_in(dtypes) or tuple(model.tflops)
    missing = [name for name in formats if name not in model.tflops]
    if missing:
        fields = {"model": model.title, "missing": ", ".join(missing)}
        raise BadInput(tr("The simulated {model} does not offer {missing}.", **fields))
    return {name: model.tflops[name] for name in formats}
