"""The number formats in which products are computed, and where each is available."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

import torch

from core.errors import BadInput


@dataclass(frozen=True, slots=True)
class Format:
    """A number format with the roundings that a correct product may show (relative, per operation)."""

    name: str
    dtype: torch.dtype
    """Of the operands."""
    result: torch.dtype
    input_rounding: float
    accumulation: float
    output_rounding: float
    gpu_capability: tuple[int, int]
    """Lowest CUDA compute capability with the format in hardware (CUDA C++ guide, compute capabilities)."""
    on_cpu: bool
    exact_depth: int = 2**18 - 1
    """So many products of integers up to 8 are added exactly, in whatever order: the sum stays below 2**24."""

    @property
    def tf32(self) -> bool:
        """Whether 32-bit operands go through the tensor cores with 10-bit mantissas."""
        return self.name == "tf32"

    @property
    def narrow(self) -> bool:
        """Whether results are rounded to 16 bits, so that sums of exact integers do not survive."""
        return self.result.itemsize == 2

    @property
    def eight_bit(self) -> bool:
        """Whether operands have 8 bits, which units of their own multiply, the right one read column by column."""
        return self.dtype.itemsize == 1


# Tensor cores truncate within a block of products (Fasi et al. 2021, "Numerical behavior of NVIDIA tensor cores"),
# hence an accumulation of 2**-22 rather than 2**-24 wherever they may be used. In FP8 they keep fewer bits, on Hopper
# about 14 (DeepSeek-AI 2024, "DeepSeek-V3 Technical Report", 3.3.2), so that only short sums are sure to be exact.
FORMATS: tuple[Format, ...] = (
    Format("float32", torch.float32, torch.float32, 0.0, 2.0**-23, 2.0**-23, (3, 5), True),
    Format("tf32", torch.float32, torch.float32, 2.0**-10, 2.0**-22, 2.0**-23, (8, 0), False),
    Format("float16", torch.float16, torch.float16, 0.0, 2.0**-22, 2.0**-10, (5, 3), False),
    Format("bfloat16", torch.bfloat16, torch.bfloat16, 0.0, 2.0**-22, 2.0**-7, (8, 0), True),
    Format("float8", torch.float8_e4m3fn, torch.bfloat16, 0.0, 2.0**-13, 2.0**-7, (8, 9), False, exact_depth=512),
    Format("float64", torch.float64, torch.float64, 0.0, 2.0**-52, 2.0**-52, (3, 5), True),
)
_BY_NAME = {format_.name: format_ for format_ in FORMATS}


def why_unavailable(format_: Format, device: torch.device) -> str | None:
    """Why the device cannot compute in this format; None if it can."""
    if device.type != "cuda":
        return None if format_.on_cpu else f"{format_.name} is not computed on CPUs."
    capability = torch.cuda.get_device_capability(device)
    if capability >= format_.gpu_capability:
        return None
    needed, present = (".".join(map(str, version)) for version in (format_.gpu_capability, capability))
    return f"{format_.name} needs compute capability {needed}; this GPU has {present}."


def chosen_formats(names: str) -> tuple[Format, ...]:
    """The formats named in a list separated by commas; all for an empty one. Raises BadInput."""
    if not names.strip():
        return FORMATS
    wanted = list(dict.fromkeys(name.strip() for name in names.split(",")))
    for name in wanted:
        if name not in _BY_NAME:
            raise BadInput(f"There is no number format {name!r}. Choose from {', '.join(_BY_NAME)}.")
    return tuple(_BY_NAME[name] for name in wanted)


def split_by_availability(
    formats: tuple[Format, ...], device: torch.device
) -> tuple[tuple[Format, ...], Mapping[str, str]]:
    """Formats that the device offers, and for the others the reason by name."""
    reasons = {format_.name: why_unavailable(format_, device) for format_ in formats}
    usable = tuple(format_ for format_ in formats if reasons[format_.name] is None)
    return usable, {name: reason for name, reason in reasons.items() if reason is not None}


def laid_out(right: torch.Tensor, format_: Format) -> torch.Tensor:
    """A right operand in the memory layout that `product` asks for."""
    return right.t().contiguous().t() if format_.eight_bit else right


def product(
    left: torch.Tensor, right: torch.Tensor, format_: Format, *, out: torch.Tensor | None = None
) -> torch.Tensor:
    """left x right as `format_.result`; to be called within `product_precision`, with a `laid_out` right operand."""
    if not format_.eight_bit:
        return torch.mm(left, right, out=out)
    one = _unit_scale(left.device)
    # Fast accumulation would keep even fewer bits of the sums.
    return torch._scaled_mm(left, right, one, one, out_dtype=format_.result, use_fast_accum=False, out=out)


@cache
def _unit_scale(device: torch.device) -> torch.Tensor:
    return torch.ones((), device=device)


@contextmanager
def product_precision(*, tf32: bool) -> Iterator[None]:
    """32-bit products through TF32 tensor cores or in full IEEE precision; 16-bit ones accumulate in 32 bits."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high" if tf32 else "highest")
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
