"""The number formats in which products are computed: what is multiplied, and what a correct result may look like."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum

import torch

from core.errors import BadInput
from core.language import tr


class ProductKind(StrEnum):
    """Which operation of the framework multiplies."""

    DENSE = "dense"
    INTEGER = "integer"
    """8-bit integers, summed without any rounding."""
    SCALED = "scaled"
    """8-bit floats with one scale for each side."""
    BLOCK_SCALED = "block scaled"
    """4-bit floats, two to a byte, with a scale for every 16."""
    SPARSE = "sparse"
    """Two of four neighbours on the left are zero and not multiplied (2:4)."""


@dataclass(frozen=True, slots=True)
class Integers:
    """The whole numbers of a known answer: those up to `largest`, of whose products `depth` are added exactly."""

    largest: int = 8
    depth: int = 2**18 - 1
    """In whatever order of summation: the sum stays below 2**24."""
    sparse: bool = False
    """Whether two of four neighbours on the left are zero."""


@dataclass(frozen=True, slots=True)
class Format:
    """A number format with the roundings that a correct product may show (relative, per operation)."""

    name: str
    dtype: torch.dtype
    """Of the left operand, as it is stored."""
    result: torch.dtype
    input_rounding: float
    accumulation: float
    output_rounding: float
    gpu_capability: tuple[int, int]
    """Lowest CUDA compute capability with the format in hardware (CUDA C++ guide, compute capabilities)."""
    on_cpu: bool = False
    kind: ProductKind = ProductKind.DENSE
    integers: Integers = Integers()
    right_dtype: torch.dtype | None = None
    """Of the right operand where it differs."""
    spread: float = 1.0
    """Standard deviation of the numbers that are drawn: it uses the range of the format, and seldom leaves it."""

    @property
    def tf32(self) -> bool:
        """Whether 32-bit operands go through the tensor cores with 10-bit mantissas."""
        return self.name == "tf32"

    @property
    def narrow(self) -> bool:
        """Whether results are rounded to 16 bits, so that sums of exact integers do not survive."""
        return self.result.itemsize == 2

    @property
    def by_column(self) -> bool:
        """Whether the right operand lies column by column: the units for operands of 8 bits and fewer read it so."""
        return self.dtype.itemsize == 1


# Tensor cores truncate within a block of products (Fasi et al. 2021, "Numerical behavior of NVIDIA tensor cores"),
# hence an accumulation of 2**-22 rather than 2**-24 wherever they may be used. In FP8 they keep fewer bits, on Hopper
# about 14 (DeepSeek-AI 2024, "DeepSeek-V3 Technical Report", 3.3.2), so that only short sums are sure to be exact; the
# same is assumed of FP4. cuBLAS multiplies E5M2 with E4M3 only, not with itself (cuBLAS, cublasLtMatmul). Integers up
# to 127 add up to less than 2**31 over 133,143 products.
E4M3, E5M2, BF16 = torch.float8_e4m3fn, torch.float8_e5m2, torch.bfloat16
HALF = (0.0, 2.0**-22, 2.0**-10)
BRAIN = (0.0, 2.0**-22, 2.0**-7)
EIGHT_BIT = (0.0, 2.0**-13, 2.0**-7)
EXACT = (0.0, 0.0, 0.0)
SHORT, SPARSE = Integers(depth=512), Integers(sparse=True)
FORMATS: tuple[Format, ...] = (
    Format("float32", torch.float32, torch.float32, 0.0, 2.0**-23, 2.0**-23, (3, 5), on_cpu=True),
    Format("tf32", torch.float32, torch.float32, 2.0**-10, 2.0**-22, 2.0**-23, (8, 0)),
    Format("float16", torch.float16, torch.float16, *HALF, (5, 3)),
    Format("bfloat16", BF16, BF16, *BRAIN, (8, 0), on_cpu=True),
    Format("float8", E4M3, BF16, *EIGHT_BIT, (8, 9), kind=ProductKind.SCALED, integers=SHORT),
    Format("float8_e5m2", E5M2, BF16, *EIGHT_BIT, (8, 9), kind=ProductKind.SCALED, integers=SHORT, right_dtype=E4M3),
    Format(
        "float4", torch.uint8, BF16, *EIGHT_BIT, (10, 0),
        kind=ProductKind.BLOCK_SCALED, integers=Integers(4, 512), spread=2.0,
    ),
    Format(
        "int8", torch.int8, torch.int32, *EXACT, (7, 5),
        on_cpu=True, kind=ProductKind.INTEGER, integers=Integers(127, 133_143), spread=32.0,
    ),
    Format("float16_sparse", torch.float16, torch.float16, *HALF, (8, 0), kind=ProductKind.SPARSE, integers=SPARSE),
    Format("bfloat16_sparse", BF16, BF16, *BRAIN, (8, 0), kind=ProductKind.SPARSE, integers=SPARSE),
    Format(
        "int8_sparse", torch.int8, torch.int32, *EXACT, (8, 0),
        kind=ProductKind.SPARSE, integers=Integers(127, 133_143, sparse=True), spread=32.0,
    ),
    Format("float64", torch.float64, torch.float64, 0.0, 2.0**-52, 2.0**-52, (3, 5), on_cpu=True),
)  # fmt: skip
BY_NAME = {format_.name: format_ for format_ in FORMATS}


def chosen_formats(names: str) -> tuple[Format, ...]:
    """The formats named in a list separated by commas; all for an empty one. Raises BadInput."""
    if not names.strip():
        return FORMATS
    asked = list(dict.fromkeys(name.strip() for name in names.split(",")))
    for name in asked:
        if name not in BY_NAME:
            raise BadInput(
                tr("There is no number format {name!r}. Choose from {formats}.", name=name, formats=", ".join(BY_NAME))
            )
    return tuple(BY_NAME[name] for name in asked)


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
