"""The number formats in which products are computed, and both sides of a product as a device multiplies them: drawn or
given, encoded, laid out, and readable on the host.

Formats narrower than a byte and sparse ones are encoded here, so that all else deals with one kind of product.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray

from core.platform.errors import BadInput
from core.words import tr
from core.words.phrasing import names_in


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
    chosen = names_in(names) or (names.strip(),)
    for name in chosen:
        if name not in BY_NAME:
            fields = {"name": name, "formats": ", ".join(BY_NAME)}
            raise BadInput(tr("There is no number format {name!r}. Choose from {formats}.", **fields))
    return tuple(BY_NAME[name] for name in chosen)


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


PAIRS = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
"""The places of the two numbers that 2:4 sparsity keeps of four neighbours."""
FLOAT4 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
"""What the three lower bits of an E2M1 number mean; the fourth is the sign (OCP Microscaling Formats 1.0, 5.3.3)."""
BETWEEN_FLOAT4 = tuple((low + high) / 2 for low, high in pairwise(FLOAT4))
SCALED_TOGETHER = 16
"""Numbers of 4 bits that share a scale, along the sums (cuBLAS, "Block scaling", FP4)."""
SCALE_TILE = (128, 4)
"""Scales lie in tiles of so many rows and blocks of 16; what they hold of padding counts, too."""


@dataclass(frozen=True, slots=True)
class Operands:
    """`left` and `right` as they are stored; `packed` is the left one as sparse units take it.

    4-bit numbers lie two to a byte along the sums, on both sides by row, so that `right` is transposed there.
    """

    format_: Format
    left: torch.Tensor
    right: torch.Tensor
    packed: torch.Tensor | None = None

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows of the left operand, length of the sums, columns of the right one."""
        if self.format_.kind is ProductKind.BLOCK_SCALED:
            return self.left.shape[0], 2 * self.left.shape[1], self.right.shape[0]
        return self.left.shape[0], self.left.shape[1], self.right.shape[1]

    @property
    def flop(self) -> float:
        """Operations of one product. Zeros that sparse units leave out count, as in their makers' figures."""
        height, depth, width = self.shape
        return 2.0 * height * depth * width

    def product(self, *, out: torch.Tensor | None = None) -> torch.Tensor:
        """The product, in `out` unless the library gives it in memory of its own; within `product_precision`."""
        match self.format_.kind:
            case ProductKind.DENSE:
                return torch.mm(self.left, self.right, out=out)
            case ProductKind.INTEGER:
                return torch._int_mm(self.left, self.right, out=out)
            case ProductKind.SCALED:
                one = _unit_scale(self.left.device)
                return self._scaled(self.left, self.right, one, one, out=out)
            case ProductKind.BLOCK_SCALED:
                height, depth, width = self.shape
                device, four_bit = self.left.device, torch.float4_e2m1fn_x2
                left, right = self.left.view(four_bit), self.right.view(four_bit).t()
                return self._scaled(
                    left, right, _unit_scales(height, depth, device), _unit_scales(width, depth, device), out=out
                )
            case ProductKind.SPARSE:
                assert self.packed is not None
                wide = self.format_.result if self.format_.result is torch.int32 else None
                return torch._cslt_sparse_mm(self.packed, self.right, out_dtype=wide)

    def _scaled(
        self,
        left: torch.Tensor,
        right: torch.Tensor,
        left_scale: torch.Tensor,
        right_scale: torch.Tensor,
        *,
        out: torch.Tensor | None,
    ) -> torch.Tensor:
        wide = self.format_.result
        # Fast accumulation would keep even fewer bits of the sums.
        return torch._scaled_mm(left, right, left_scale, right_scale, out_dtype=wide, use_fast_accum=False, out=out)

    def rows(self, chosen: Iterable[int]) -> NDArray[np.float64]:
        """Rows of the left operand in double precision, on the host."""
        return self._double(self.left[list(chosen)])

    def columns(self, chosen: slice) -> NDArray[np.float64]:
        """Columns of the right operand in double precision, on the host."""
        if self.format_.kind is ProductKind.BLOCK_SCALED:
            return self._double(self.right[chosen]).T
        return self._double(self.right[:, chosen])

    def _double(self, part: torch.Tensor) -> NDArray[np.float64]:
        if self.format_.kind is ProductKind.BLOCK_SCALED:
            return _from_float4(part.contiguous().cpu().numpy())
        return doubled(part)


def doubled(tensor: torch.Tensor) -> NDArray[np.float64]:
    """On the host, converted there: a device under test does not convert its own reference."""
    host = tensor.contiguous().cpu()
    return host.to(torch.float64).numpy()


def normal_operands(format_: Format, size: int, *, seed: int, device: torch.device) -> Operands:
    """Square ones of normally distributed numbers: zeros and ones would draw less power."""
    generator = torch.Generator(device).manual_seed(seed)
    drawn = torch.float64 if format_.dtype is torch.float64 else torch.float32
    left, right = (
        torch.randn((size, size), generator=generator, device=device, dtype=drawn).mul_(format_.spread)
        for _ in range(2)
    )
    if format_.kind is ProductKind.SPARSE:
        patterns = torch.randint(len(PAIRS), (size * size // 4,), generator=generator, device=device)
        mask = torch.from_numpy(kept_of_four()).to(device)
        left.mul_(mask[patterns].view(size, size))
    return encoded(left, right, format_)


def encoded(left: torch.Tensor, right: torch.Tensor, format_: Format) -> Operands:
    """Numbers of any type as the format holds them, rounded to it; for sparse formats two of four must be zero."""
    if format_.kind is ProductKind.BLOCK_SCALED:
        return Operands(format_, _to_float4(left), _to_float4(right.t()))
    left, right = _rounded(left, format_.dtype), _rounded(right, format_.right_dtype or format_.dtype)
    if format_.by_column:
        right = right.t().contiguous().t()
    packed = torch._cslt_compress(left.contiguous()) if format_.kind is ProductKind.SPARSE else None
    return Operands(format_, left, right, packed)


def kept_of_four() -> NDArray[np.bool_]:
    """One row for each pattern of 2:4 sparsity: which of four neighbours are kept."""
    return np.array([[place in pair for place in range(4)] for pair in PAIRS])


def _rounded(numbers: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    if dtype is torch.int8 and numbers.is_floating_point():
        return numbers.round().clamp_(-127, 127).to(dtype)
    return numbers.to(dtype)


def _to_float4(numbers: torch.Tensor) -> torch.Tensor:
    """To the nearest 4-bit number, two to a byte: the first in the lower half."""
    numbers = numbers.to(torch.float32).contiguous()
    limits = torch.tensor(BETWEEN_FLOAT4, device=numbers.device)
    codes = torch.bucketize(numbers.abs(), limits, out_int32=True).to(torch.uint8)
    codes |= (numbers < 0).to(torch.uint8) << 3
    return codes[:, ::2] | (codes[:, 1::2] << 4)


def _from_float4(stored: NDArray[np.uint8]) -> NDArray[np.float64]:
    meanings = np.array([*FLOAT4, *(-number for number in FLOAT4)])
    codes = np.stack([stored & 15, stored >> 4], axis=-1).reshape(len(stored), -1)
    return meanings[codes]


@cache
def _unit_scale(device: torch.device) -> torch.Tensor:
    return torch.ones((), device=device)


@cache
def _unit_scales(rows: int, depth: int, device: torch.device) -> torch.Tensor:
    """All one, so that the order in which the units read them does not matter."""
    tile_rows, tile_blocks = SCALE_TILE
    padded = -(-rows // tile_rows) * tile_rows * -(-depth // (SCALED_TOGETHER * tile_blocks)) * tile_blocks
    return torch.ones(padded, device=device).to(torch.float8_e4m3fn)
