"""How large a product may be for heartbeats to come and a stop to be heeded while it runs."""

from __future__ import annotations

import torch

from core.loads.products.formats import Format, product_precision
from core.loads.products.known_answer import Shape
from core.loads.products.operands import Operands, normal_operands
from core.loads.timing import mark

LONGEST_PRODUCT_S = 0.3
"""Well within a heartbeat, and within the 2 s of a display driver's watchdog."""
QUICK_PRODUCT_S = 0.1
SMALLEST, LARGEST = 256, 4096
CPU_PROBE, GPU_PROBE, FAST_GPU_PROBE = 256, 1024, 4096
LAUNCH_BOUND_S = 0.5e-3
"""A product that takes less tells more of its launch than of the card: an H100 does one of 1024 in 12 us."""
PROBES = 4


def affordable(shape: Shape, format_: Format, device: torch.device) -> Shape:
    """Halves all sides until one product takes less than 0.3 s.

    Formats that a CPU lacks are emulated, hundreds of times slower; double precision runs at 1/32 to 1/64 of the speed
    on GPUs for desktops.
    """
    height, depth, width = shape
    per_flop_s = seconds_per_flop(format_, device)
    while min(height, width) > SMALLEST and 2.0 * height * depth * width * per_flop_s > LONGEST_PRODUCT_S:
        height, depth, width = height // 2, max(depth // 2, SMALLEST), width // 2
    return height, depth, width


def comfortable(size: int, format_: Format, device: torch.device) -> int:
    """Doubles a size while one product takes less than 0.1 s: processors that are so fast are better used by larger
    products, of which the comparison is a smaller part. Halves it where one takes longer than 0.3 s."""
    per_flop_s = seconds_per_flop(format_, device)
    while 2 * size <= LARGEST and 2.0 * (2 * size) ** 3 * per_flop_s < QUICK_PRODUCT_S:
        size *= 2
    return affordable((size, size, size), format_, device)[0]


def seconds_per_flop(format_: Format, device: torch.device) -> float:
    """Of a small product: the fastest of a few, since the first one wakes threads or loads libraries.

    On a fast GPU the product is larger, since a small one would be over before the next is launched.
    """
    if device.type != "cuda":
        return _probed(CPU_PROBE, format_, device)
    per_flop_s = _probed(GPU_PROBE, format_, device)
    fast = per_flop_s * 2.0 * GPU_PROBE**3 < LAUNCH_BOUND_S
    return _probed(FAST_GPU_PROBE, format_, device) if fast else per_flop_s


def _probed(size: int, format_: Format, device: torch.device) -> float:
    operands = normal_operands(format_, size, seed=1, device=device)
    with product_precision(tf32=format_.tf32):
        return min(_timed(operands) for _ in range(PROBES)) / operands.flop


def _timed(operands: Operands) -> float:
    started = mark(operands.left.device)
    operands.product()
    ended = mark(operands.left.device)
    ended.wait()
    return max(ended.seconds_since(started), 1e-9)
