"""In which number formats a network is trained, and whether each step must repeat to the last bit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import torch
from torch import nn

from core.errors import EnvironmentProblem
from core.language import tr
from core.loads.products.formats import product_precision
from core.loads.training.contract import Precision, default_precision

HALVES = {Precision.AMP_BF16: torch.bfloat16, Precision.AMP_FP16: torch.float16}
NEEDED = {Precision.TF32: (8, 0), Precision.AMP_BF16: (8, 0), Precision.AMP_FP16: (5, 3)}
"""Lowest CUDA compute capability with the format in hardware (CUDA C++ guide, compute capabilities)."""
ON_CPU = (Precision.FP32, Precision.AMP_BF16)


def chosen_precision(asked: Precision | None, device: torch.device) -> Precision:
    """What is asked for, or what is usual on the device. Raises EnvironmentProblem where it cannot be had."""
    if device.type != "cuda":
        if asked is not None and asked not in ON_CPU:
            raise EnvironmentProblem(
                tr("{asked} is not run on CPUs. Choose {on_cpu}.", asked=asked, on_cpu=" or ".join(ON_CPU))
            )
        return asked or default_precision(None)
    capability = torch.cuda.get_device_capability(device)
    needed = (0, 0) if asked is None else NEEDED.get(asked, (0, 0))
    if capability < needed:
        wanted, present = (".".join(map(str, version)) for version in (needed, capability))
        raise EnvironmentProblem(
            tr(
                "{asked} needs compute capability {wanted}; this GPU has {present}.",
                asked=asked,
                wanted=wanted,
                present=present,
            )
        )
    return asked or default_precision(capability)


def recurrent_in_fp16(network: nn.Module, precision: Precision, device: torch.device) -> bool:
    """Whether autocast computes layers of it in FP16 whatever was asked: cuDNN's LSTM, GRU and RNN have no other half.

    (PyTorch, aten/src/ATen/cudnn/AutocastRNN.cpp.) Their gradients then need to be scaled up.
    """
    recurrent = any(isinstance(module, nn.RNNBase) for module in network.modules())
    return precision.half and device.type == "cuda" and recurrent


def casting(precision: Precision, device: torch.device) -> AbstractContextManager[object]:
    """Within it, products of 32-bit operands are done in the 16-bit format of a mixed precision."""
    half = HALVES.get(precision)
    return nullcontext() if half is None else torch.autocast(device.type, dtype=half)


@contextmanager
def arithmetic(precision: Precision, *, repeatable: bool) -> Iterator[None]:
    """TF32 on or off for everything; `repeatable` allows only kernels that add in a fixed order.

    The kernels are chosen by rule, not by trial, for a trial may choose others on the next card of the same model.
    """
    cudnn = torch.backends.cudnn
    before = cudnn.allow_tf32, cudnn.deterministic, cudnn.benchmark
    tf32 = precision is not Precision.FP32
    with product_precision(tf32=tf32):
        cudnn.allow_tf32, cudnn.deterministic, cudnn.benchmark = tf32, repeatable, False
        torch.use_deterministic_algorithms(repeatable)
        try:
            yield
        finally:
            torch.use_deterministic_algorithms(False)
            cudnn.allow_tf32, cudnn.deterministic, cudnn.benchmark = before
