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
    memory_gib: float
    memory_gbps: float
    """Of copy and triad: below the data sheet's figure, as on real cards."""
    link_gbps: float
    """Pinned memory to or from the host, one way."""


MODELS: tuple[SimulatedModel, ...] = (
    SimulatedModel(
        "RTX 5090",
        ("5090",),
        {"float32": 88.0, "tf32": 92.0, "float16": 190.0, "bfloat16": 190.0, "float8": 370.0, "float64": 1.5},
        31.8,
        1600.0,
        56.0,
    ),
    SimulatedModel(
        "RTX 4090",
        ("4090",),
        {"float32": 62.0, "tf32": 75.0, "float16": 152.0, "bfloat16": 152.0, "float8": 300.0, "float64": 1.2},
        24.0,
        920.0,
        25.0,
    ),
    SimulatedModel(
        "RTX 3090",
        ("3090",),
        {"float32": 25.0, "tf32": 33.0, "float16": 65.0, "bfloat16": 65.0, "float64": 0.5},
        24.0,
        790.0,
        25.0,
    ),
    SimulatedModel("TITAN X", ("titan", "x"), {"float32": 9.6, "float16": 8.1, "float64": 0.3}, 12.0, 380.0, 12.0),
    SimulatedModel("V100", ("v100",), {"float32": 13.4, "float16": 92.0, "float64": 6.8}, 16.0, 790.0, 12.0),
    SimulatedModel(
        "A100",
        ("a100",),
        {"float32": 18.6, "tf32": 128.0, "float16": 250.0, "bfloat16": 252.0, "float64": 18.2},
        80.0,
        1720.0,
        25.0,
    ),
    SimulatedModel(
        "H100",
        ("h100",),
        {"float32": 49.0, "tf32": 380.0, "float16": 640.0, "bfloat16": 655.0, "float8": 1150.0, "float64": 58.0},
        80.0,
        1800.0,
        52.0,
    ),
)

GENERIC = SimulatedModel("GPU", (), {"float32": 20.0, "float16": 60.0, "float64": 0.6}, 24.0, 600.0, 24.0)
"""For words that name none of them."""


def find_model(words: str) -> SimulatedModel:
    """The model named by free text such as "rtx-3090" or "SIM NVIDIA TITAN X"; the generic one for unknown words."""
    given = set(re.findall(r"[a-z0-9]+", words.lower()))
    for model in MODELS:
        if given.issuperset(model.words):
            return model
    return GENERIC
