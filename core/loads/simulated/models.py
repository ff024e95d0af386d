"""Plausible speeds of the models that can be simulated. Nothing here is measured, and nothing is judged by it."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SimulatedModel:
    """Speeds that a healthy card of the model might show in the loads."""

    title: str
    words: tuple[str, ...]
    tflops: dict[str, float]
    """By number format; absent formats are not offered."""
    tokens_per_s: float


MODELS: tuple[SimulatedModel, ...] = (
    SimulatedModel(
        "RTX 5090",
        ("5090",),
        {"float32": 88.0, "tf32": 92.0, "float16": 190.0, "bfloat16": 190.0, "float64": 1.5},
        290_000.0,
    ),
    SimulatedModel(
        "RTX 4090",
        ("4090",),
        {"float32": 62.0, "tf32": 75.0, "float16": 152.0, "bfloat16": 152.0, "float64": 1.2},
        225_000.0,
    ),
    SimulatedModel(
        "RTX 3090",
        ("3090",),
        {"float32": 25.0, "tf32": 33.0, "float16": 65.0, "bfloat16": 65.0, "float64": 0.5},
        105_000.0,
    ),
    SimulatedModel("TITAN X", ("titan", "x"), {"float32": 9.6, "float16": 8.1, "float64": 0.3}, 11_500.0),
    SimulatedModel("V100", ("v100",), {"float32": 13.4, "float16": 92.0, "float64": 6.8}, 26_000.0),
    SimulatedModel(
        "A100",
        ("a100",),
        {"float32": 18.6, "tf32": 128.0, "float16": 250.0, "bfloat16": 252.0, "float64": 18.2},
        330_000.0,
    ),
    SimulatedModel(
        "H100",
        ("h100",),
        {"float32": 49.0, "tf32": 380.0, "float16": 640.0, "bfloat16": 655.0, "float64": 58.0},
        720_000.0,
    ),
)

GENERIC = SimulatedModel("GPU", (), {"float32": 20.0, "float16": 60.0, "float64": 0.6}, 80_000.0)
"""For words that name none of them."""


def find_model(words: str) -> SimulatedModel:
    """The model named by free text such as "rtx-3090" or "SIM NVIDIA TITAN X"; the generic one for unknown words."""
    given = set(re.findall(r"[a-z0-9]+", words.lower()))
    for model in MODELS:
        if given.issuperset(model.words):
            return model
    return GENERIC
