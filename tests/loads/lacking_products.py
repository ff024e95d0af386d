"""Products that CPUs lack, computed slowly: 4-bit floats with block scales, and left operands compressed 2:4.

They take the place of the framework's operations with the same names, refuse what those refuse (sizes, layouts, scales)
and decode by themselves what they are given.
"""

from typing import Any

import pytest
import torch

REAL_SCALED_MM = torch._scaled_mm
PATTERNS = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
SHARES = {torch.int8: 10, torch.float16: 9, torch.bfloat16: 9}
"""Sixteenths of the dense size that the compressed operand takes."""


def scaled_mm(  # noqa: PLR0917 - as many as the real one takes
    self: torch.Tensor,
    mat2: torch.Tensor,
    scale_a: torch.Tensor,
    scale_b: torch.Tensor,
    bias: torch.Tensor | None = None,
    scale_result: torch.Tensor | None = None,
    out_dtype: torch.dtype | None = None,
    use_fast_accum: bool = False,
    *,
    out: torch.Tensor | None = None,
) -> torch.Tensor:
    """4-bit ones with the scales of blocks of 16, of which only ones are understood; all others as ever."""
    if self.dtype is not torch.float4_e2m1fn_x2:
        if out is None:
            return REAL_SCALED_MM(self, mat2, scale_a, scale_b, out_dtype=out_dtype, use_fast_accum=use_fast_accum)
        return REAL_SCALED_MM(self, mat2, scale_a, scale_b, out_dtype=out_dtype, use_fast_accum=use_fast_accum, out=out)
    height, half = self.shape
    width = mat2.shape[1]
    assert mat2.dtype is self.dtype, "4-bit numbers are multiplied with their like"
    assert mat2.shape[0] == half, "the sums are of one length"
    assert half % 16 == 0, "bytes of a row come in sixteens"
    assert width % 16 == 0, "columns come in sixteens"
    assert self.is_contiguous(), "the left operand lies by row"
    assert mat2.t().is_contiguous(), "the right operand lies by column"
    assert not use_fast_accum, "unknown for 4-bit numbers"
    for rows, scale in ((height, scale_a), (width, scale_b)):
        assert scale.dtype is torch.float8_e4m3fn, "a scale is an 8-bit number"
        assert scale.numel() == -(-rows // 128) * 128 * -(-2 * half // 64) * 4, "scales come in tiles of 128 x 4"
        assert torch.all(scale.to(torch.float32) == 1)
    result = (_decoded(self) @ _decoded(mat2.t()).T).to(out_dtype)
    return result if out is None else out.copy_(result)


def cslt_compress(input: torch.Tensor) -> torch.Tensor:
    """The two kept of four, then half a byte for each four that tells where they stood."""
    assert input.is_contiguous(), "it is read by row"
    assert all(side % 16 == 0 for side in input.shape), "sides come in sixteens"
    fours = input.view(-1, 4)
    full = fours != 0
    assert int(full.sum(dim=1).max()) <= 2, "two of four must be zero"
    fitting = torch.stack([full[:, [at for at in range(4) if at not in pair]].sum(dim=1) for pair in PATTERNS]) == 0
    chosen = fitting.to(torch.uint8).argmax(dim=0)
    nonzero = fours.gather(1, torch.tensor(PATTERNS)[chosen])
    halves = chosen.to(torch.uint8).view(-1, 2)
    places = halves[:, 0] | (halves[:, 1] << 4)
    return torch.cat([nonzero.reshape(-1), places.view(input.dtype)])


def cslt_sparse_mm(  # noqa: PLR0917
    compressed_A: torch.Tensor,  # noqa: N803 - its real name
    dense_B: torch.Tensor,  # noqa: N803
    bias: torch.Tensor | None = None,
    alpha: torch.Tensor | None = None,
    out_dtype: torch.dtype | None = None,
    transpose_result: bool = False,
    alg_id: int = 0,
    split_k: int = 1,
    split_k_mode: int = -1,
) -> torch.Tensor:
    """The compressed operand times the dense one, in memory of its own."""
    whole = dense_B.dtype is torch.int8
    assert (out_dtype is None) or whole, "only integers may be widened"
    assert not whole or dense_B.t().is_contiguous(), "integers on the right lie by column"
    depth = dense_B.shape[0]
    elements = compressed_A.numel() * 16 // SHARES[compressed_A.dtype]
    nonzero, places = compressed_A[: elements // 2], compressed_A[elements // 2 :].view(torch.uint8)
    chosen = torch.stack([places & 15, places >> 4], dim=1).view(-1)
    dense = torch.zeros((elements // 4, 4), dtype=compressed_A.dtype)
    dense.scatter_(1, torch.tensor(PATTERNS)[chosen.long()], nonzero.view(-1, 2))
    result = dense.view(-1, depth).to(torch.float64) @ dense_B.to(torch.float64)
    return result.to(out_dtype or dense_B.dtype)


STAND_INS: dict[str, Any] = {
    "_scaled_mm": scaled_mm,
    "_cslt_compress": cslt_compress,
    "_cslt_sparse_mm": cslt_sparse_mm,
}


def offer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts them into the framework's place."""
    for name, stand_in in STAND_INS.items():
        monkeypatch.setattr(torch, name, stand_in)


def _decoded(packed: torch.Tensor) -> torch.Tensor:
    """Sign, two bits of exponent, one of mantissa (E2M1); the first number is the lower half of a byte."""
    stored = packed.view(torch.uint8)
    codes = torch.stack([stored & 15, stored >> 4], dim=2).reshape(stored.shape[0], -1).to(torch.float64)
    sign, rest = torch.where(codes >= 8, -1.0, 1.0), codes % 8
    exponent, mantissa = torch.floor(rest / 2), rest % 2
    normal = torch.exp2(exponent - 1) * (1 + mantissa / 2)
    return sign * torch.where(exponent == 0, mantissa / 2, normal)
