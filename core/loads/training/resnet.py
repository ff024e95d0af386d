"""ResNet-50 on random images with random labels.

After He et al. 2015 ("Deep Residual Learning for Image Recognition"), with the stride in the 3x3 convolution as all
published speeds have it (known as v1.5).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.loads.training.task import ClassifierTask, SilentNorm

DEPTHS = (3, 4, 6, 3)
EXPANSION = 4
COLOURS = 3
DRAWN = 64


class Convolution(NamedTuple):
    """One convolution: channels in and out, side of the kernel and of the result."""

    channels: int
    filters: int
    kernel: int
    side: int

    @property
    def flop(self) -> int:
        """Forward, of one image."""
        return 2 * self.channels * self.filters * self.kernel**2 * self.side**2


def convolutions(task: ResnetTask) -> Iterator[Convolution]:
    """All convolutions in their order; pooling and strides halve the side, rounding up."""
    side = -(-task.image // 2)
    yield Convolution(COLOURS, task.width, 7, side)
    side, channels = -(-side // 2), task.width
    for stage, depth in enumerate(DEPTHS):
        inner = task.width * 2**stage
        for position in range(depth):
            before = side
            side = -(-side // 2) if stage and not position else side
            yield Convolution(channels, inner, 1, before)
            yield Convolution(inner, inner, 3, side)
            yield Convolution(inner, EXPANSION * inner, 1, side)
            if not position:
                yield Convolution(channels, EXPANSION * inner, 1, side)
            channels = EXPANSION * inner


class Bottleneck(nn.Module):
    """Narrow, look around, widen; then add what came in."""

    def __init__(self, channels: int, inner: int, stride: int) -> None:
        super().__init__()
        outer = EXPANSION * inner
        self.narrow = _normed(nn.Conv2d(channels, inner, 1, bias=False))
        self.look = _normed(nn.Conv2d(inner, inner, 3, stride, padding=1, bias=False))
        self.widen = nn.Sequential(nn.Conv2d(inner, outer, 1, bias=False), SilentNorm(outer))
        same = stride == 1 and channels == outer
        self.around = nn.Identity() if same else _normed(nn.Conv2d(channels, outer, 1, stride, bias=False))

    def forward(self, x: Tensor) -> Tensor:
        """(batch, channels, side, side) to (batch, 4 x inner, side / stride, side / stride)."""
        inner = functional.relu(self.look(functional.relu(self.narrow(x))))
        return functional.relu(self.widen(inner) + self.around(x))


class Resnet(nn.Module):
    """50 layers: one convolution, 16 blocks of three, one linear layer."""

    def __init__(self, task: ResnetTask) -> None:
        super().__init__()
        self.first = _normed(nn.Conv2d(COLOURS, task.width, 7, 2, padding=3, bias=False))
        blocks: list[nn.Module] = []
        channels = task.width
        for stage, depth in enumerate(DEPTHS):
            inner = task.width * 2**stage
            for position in range(depth):
                blocks.append(Bottleneck(channels, inner, 2 if stage and not position else 1))
                channels = EXPANSION * inner
        self.blocks = nn.Sequential(*blocks)
        self.scores = nn.Linear(channels, task.classes)

    def forward(self, images: Tensor) -> Tensor:
        """(batch, 3, side, side) to (batch, classes)."""
        x = functional.max_pool2d(functional.relu(self.first(images)), 3, 2, padding=1)
        # A mean rather than adaptive pooling, whose backward pass is not deterministic on CUDA.
        scores: Tensor = self.scores(self.blocks(x).mean(dim=(2, 3)))
        return scores


def _normed(convolution: nn.Conv2d) -> nn.Sequential:
    return nn.Sequential(convolution, nn.BatchNorm2d(convolution.out_channels))


@dataclass(frozen=True, slots=True, kw_only=True)
class ResnetTask(ClassifierTask):
    """`image` is the side in pixels, `width` the channels of the first convolution (64 in the paper)."""

    image: int
    width: int
    classes: int
    learning_rate: float = 1e-3

    unit: ClassVar[str] = "images"
    module: ClassVar[Callable[[Any], nn.Module]] = Resnet
    least_batch: ClassVar[int] = 2
    """Normalisation needs two images."""

    @property
    def per_step(self) -> int:
        """Images."""
        return self.batch

    @property
    def flop_per_step(self) -> float:
        """Two per multiply-add; backward costs twice the forward, but no gradient is due for the images."""
        sizes = list(convolutions(self))
        forward = sum(size.flop for size in sizes) + 2 * EXPANSION * 8 * self.width * self.classes
        return float(self.batch * (3 * forward - sizes[0].flop))

    def examples(self, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Normally distributed images (batch, 3, side, side) and their labels (batch).

        Few are drawn, which takes the host a moment; the others are the same ones shifted sideways.
        """
        few = torch.randn((min(self.batch, DRAWN), COLOURS, self.image, self.image), generator=generator)
        shifted = [few.roll(shift, dims=-1) for shift in range(-(-self.batch // DRAWN))]
        return torch.cat(shifted)[: self.batch], torch.randint(self.classes, (self.batch,), generator=generator)
