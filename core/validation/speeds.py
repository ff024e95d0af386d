"""Measured training speeds of one card: the reference networks in the precision that the words name."""

from __future__ import annotations

import re

from core.predict.band import Band
from core.predict.speed.card_speed import card_rate
from core.predict.speed.networks import ComputePrecision, Network
from core.validation.cases import Measured
from core.validation.facts import Facts
from core.validation.matching import Match

_NETWORKS = (
    (Network.CNN, re.compile(r"resnet-?50|convolution")),
    (Network.LSTM, re.compile(r"gnmt|lstm")),
    (Network.TRANSFORMER, re.compile(r"gpt-?2 medium")),
)
_PRECISIONS = (
    (ComputePrecision.MIXED, re.compile(r"mixed|half precision|fp16|bf16")),
    (ComputePrecision.TF32, re.compile(r"tf32")),
    (ComputePrecision.FP32, re.compile(r"fp32|single precision")),
)
NO_NETWORK = "it names none of the reference networks: ResNet-50, GNMT, GPT-2 medium"
SEVERAL_CARDS = "it is the speed of several cards, and their links are not told"
NO_FIGURES = "figures of the card that decide its speed are unknown"


def training_speed(case: Measured, match: Match) -> Band | str:
    """Samples per second of one card."""
    network = next((kind for kind, pattern in _NETWORKS if pattern.search(case.words)), None)
    if network is None:
        return NO_NETWORK
    if Facts(case).count > 1:
        return SEVERAL_CARDS
    precision = next((kind for kind, pattern in _PRECISIONS if pattern.search(case.words)), None)
    return card_rate(match.part, network, precision=precision).rate or NO_FIGURES
