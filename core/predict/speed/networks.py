"""The three kinds of network, one reference network of each, and the work that training one sample of it is.

Time per sample = FLOP / (peak x share of a large multiplication x share) + bytes / (bandwidth x cache). FLOP are
counted; bytes and shares are fitted to published throughputs of 12 GPUs, as slow, expected and fast software:
  slow: frameworks of 2022 out of the box (Lambda, deeplearning-benchmark);
  fast: tuned code (NVIDIA DeepLearningExamples, MXNet and TensorFlow; MosaicML llm-foundry).
Bytes are what a figure of 100 % bandwidth would have to move, so caches and achieved bandwidth are in them.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.words import Worded, tr

Triple = tuple[float, float, float]
"""Slow, expected, fast; for figures that have no side: low, expected, high."""


class Network(Worded):
    """A kind of network."""

    CNN = "cnn", tr("CNN")
    LSTM = "lstm", tr("LSTM")
    TRANSFORMER = "transformer", tr("Transformer")

    @property
    def short(self) -> str:
        """The kind, in the middle of a sentence."""
        return tr("transformer") if self is Network.TRANSFORMER else self.label

    @property
    def reference(self) -> str:
        """The reference network in words."""
        return REFERENCES[self].label

    @property
    def unit(self) -> str:
        """What its speed is counted in."""
        return REFERENCES[self].unit


class ComputePrecision(Worded):
    """What matrices are multiplied in; sums and weights are FP32 in each."""

    MIXED = "mixed", tr("mixed precision")
    """FP16 or BF16 on tensor cores."""
    TF32 = "tf32", "TF32"
    FP32 = "fp32", "FP32"


@dataclass(frozen=True, slots=True)
class SampleWork:
    """What one sample costs in one precision."""

    share: Triple
    """Of the speed of a large matrix multiplication on the same card."""
    megabytes: Triple
    """Moved to and from the card's memory, 10^6 bytes."""


@dataclass(frozen=True, slots=True)
class ReferenceNetwork:
    """A network that stands for its kind. A sample is an image or a token."""

    label: str
    unit: str
    parameters: float
    gflop: float
    """Forward and backward, 10^9 per sample."""
    work: dict[ComputePrecision, SampleWork]
    overlap: Triple
    """Share of the communication that can run while the card computes."""
    waiting_ms: Triple
    """Per 1000 samples, on any card: launching kernels, the host's input, layers too small to fill the card. It weighs
    little beside a second on GDDR cards, but half on HBM: from an H100 to an H200, whose memory is 1.43 times as
    fast, runs out of the box gain 10 % (Lambda, 2,791 and 3,079 images/s), and B200 stop near 3000 as well. The middle
    is that of such runs; tuned code (NHWC, fused layers, decoded on the card) hardly waits."""
    in_step: Triple
    """Share of a card's speed left by waiting for the others: uneven samples, feeding, launching."""
    gradient_bytes: Triple
    """Per parameter in mixed precision: FP32, or the 16 bit of the weights."""
    activation_bytes: Triple
    """Kept per sample for the backward pass in mixed precision, low to high; twice that in FP32."""
    memory_batch: float
    """Samples at once for which the memory is reckoned."""


RESNET_50 = ReferenceNetwork(
    label=tr("ResNet-50 on images of 224 x 224"),
    unit=tr("images/s"),
    parameters=25.6e6,
    gflop=24.6,  # 3 x 4.1 x 10^9 multiply-adds x 2; He et al. 2015, version 1.5
    work={
        ComputePrecision.MIXED: SampleWork((0.60, 0.75, 0.95), (900, 610, 360)),
        ComputePrecision.TF32: SampleWork((0.60, 0.75, 0.95), (1450, 1060, 880)),
        ComputePrecision.FP32: SampleWork((0.75, 0.90, 1.00), (1350, 950, 600)),
    },
    overlap=(0.40, 0.70, 0.95),
    waiting_ms=(150, 150, 20),
    in_step=(0.84, 0.98, 1.0),
    gradient_bytes=(4, 4, 2),
    activation_bytes=(50e6, 75e6, 100e6),  # 448 images in 24 GB, 208 to 256 in 16 GB
    memory_batch=64,
)
GNMT = ReferenceNetwork(
    label=tr("a translation network of eight LSTM layers, 1024 wide (GNMT)"),
    unit=tr("tokens/s"),
    parameters=160e6,
    gflop=0.385,  # 6 x weights used per token, mean of source and target; vocabulary of 32,320
    work={
        ComputePrecision.MIXED: SampleWork((0.60, 0.80, 0.95), (7.0, 4.9, 3.6)),
        ComputePrecision.TF32: SampleWork((0.60, 0.80, 0.95), (11.5, 8.5, 6.2)),
        ComputePrecision.FP32: SampleWork((0.65, 0.85, 1.00), (11.5, 8.5, 6.2)),
    },
    overlap=(0.0, 0.15, 0.5),
    waiting_ms=(0, 0, 0),
    in_step=(0.56, 0.80, 1.0),
    gradient_bytes=(4, 2, 2),
    activation_bytes=(0.5e6, 0.75e6, 0.9e6),  # 464 sentences of about 56 tokens, both languages, in 24 GB
    memory_batch=64 * 56,
)
GPT_2_MEDIUM = ReferenceNetwork(
    label=tr("GPT-2 medium (355 million parameters) on sequences of 1024 tokens"),
    unit=tr("tokens/s"),
    parameters=354.8e6,
    gflop=2.43,  # 6 x parameters + 12 x layers x width x sequence (Chowdhery et al. 2022, appendix B)
    work={
        ComputePrecision.MIXED: SampleWork((0.52, 0.68, 0.85), (22, 6, 4)),
        ComputePrecision.TF32: SampleWork((0.52, 0.68, 0.85), (36, 11, 8)),
        ComputePrecision.FP32: SampleWork((0.60, 0.75, 0.90), (36, 11, 8)),
    },
    overlap=(0.30, 0.65, 0.90),
    waiting_ms=(0, 0, 0),
    in_step=(0.75, 0.98, 1.0),
    gradient_bytes=(4, 4, 2),
    activation_bytes=(0.29e6, 1.26e6, 3.4e6),  # by memory_fit's formula
    memory_batch=4 * 1024,
)
REFERENCES = {Network.CNN: RESNET_50, Network.LSTM: GNMT, Network.TRANSFORMER: GPT_2_MEDIUM}

TOKENS_PER_SENTENCE = 56
"""Both languages; general knowledge of WMT16 German to English."""


TOKENS_PER_GB = 300.0
"""What one pass of a large BERT holds: 16 sequences of 384 in 16 GB, 64 in 48 GB in mixed precision, half that in FP32
(Lambda, deeplearning-benchmark)."""


def samples_per_step(network: Network, memory_gb: float | None) -> Triple:
    """Samples of one card between two exchanges of gradients, by its memory; 12 GB where that is unknown.

    As the published runs chose them: ResNet-50 up to 256 images, GNMT 20 sentences a GB up to 512. A language model
    gathers the gradients of 32 sequences, in as many passes as its memory asks for; who tunes one exchanges them after
    each pass, as the low end has it.
    """
    memory = memory_gb or 12.0
    match network:
        case Network.CNN:
            images = max(8.0, min(256.0, 10.6 * memory))
            return images, images, images
        case Network.LSTM:
            tokens = TOKENS_PER_SENTENCE * max(8.0, min(512.0, 20 * memory))
            return tokens, tokens, tokens
        case Network.TRANSFORMER:
            gathered = 32.0 * 1024
            return min(TOKENS_PER_GB * memory, gathered), gathered, gathered
