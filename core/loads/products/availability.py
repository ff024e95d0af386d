"""Which number formats a device offers (by its compute capability, by what this framework holds, and by trying), and
how large a product may be for heartbeats to come and a stop to be heeded while it runs.

The 8-bit, 4-bit and sparse products are young in the libraries: some versions refuse them on some cards or systems. A
small product tells, and a refusal is a reason not to run them, never a fault of the card.
"""

from collections.abc import Mapping
from textwrap import shorten

import torch

from core.loads.blame import Blame, cause_of, detail
from core.loads.device import mark
from core.loads.products.formats import Format, Operands, ProductKind, normal_operands, product_precision
from core.loads.products.verify import Shape
from core.words import tr

NEEDED = {
    ProductKind.DENSE: ("mm",),
    ProductKind.INTEGER: ("_int_mm",),
    ProductKind.SCALED: ("_scaled_mm",),
    ProductKind.BLOCK_SCALED: ("_scaled_mm", "float4_e2m1fn_x2"),
    ProductKind.SPARSE: ("_cslt_compress", "_cslt_sparse_mm"),
}
"""What the framework must hold for each kind of product."""
TRIED_SIZE = 256
LONGEST_WORDS = 200

Reasons = Mapping[str, str]
"""By the name of a format, why it is not offered."""


def why_unavailable(format_: Format, device: torch.device) -> str | None:
    """Why the device cannot compute in this format, as far as it can be told without trying; None if it can."""
    if any(not hasattr(torch, name) for name in NEEDED[format_.kind]):
        fields = {"format": format_.name, "version": torch.__version__}
        return tr("{format} is not offered by this PyTorch ({version}). Install a newer one.", **fields)
    if device.type != "cuda":
        return None if format_.on_cpu else tr("{format} is not run on CPUs.", format=format_.name)
    capability = torch.cuda.get_device_capability(device)
    if capability >= format_.gpu_capability:
        return None
    needed, present = (".".join(map(str, version)) for version in (format_.gpu_capability, capability))
    fields = {"format": format_.name, "needed": needed, "present": present}
    return tr("{format} needs compute capability {needed}; this GPU has {present}.", **fields)


def split_by_availability(formats: tuple[Format, ...], device: torch.device) -> tuple[tuple[Format, ...], Reasons]:
    """Formats that the device offers, and for the others the reason by name. Nothing is computed."""
    reasons = {format_.name: why_unavailable(format_, device) for format_ in formats}
    usable = tuple(format_ for format_ in formats if reasons[format_.name] is None)
    return usable, {name: reason for name, reason in reasons.items() if reason is not None}


def refusal(format_: Format, device: torch.device) -> str | None:
    """Why a small product in this format cannot be computed although it should be; None if it can.

    Dense products are as old as the cards: whatever stops them is told by the load. Raises what the device itself broke
    off with, and errors after which the process computes no more.
    """
    if format_.kind is ProductKind.DENSE:
        return None
    try:
        with product_precision(tf32=format_.tf32):
            normal_operands(format_, TRIED_SIZE, seed=1, device=device).product()
        if device.type == "cuda":
            torch.cuda.synchronize(device)
    except (RuntimeError, ValueError) as error:
        cause = cause_of(error)
        if cause.sticky or cause.blame in (Blame.DEVICE, Blame.MEMORY):
            raise
        reason = shorten(detail(error).partition(". ")[0], LONGEST_WORDS, placeholder=" …")
        fields = {"format": format_.name, "version": torch.__version__, "told": reason}
        return tr("{format} is refused by this PyTorch ({version}) on this device: {told}.", **fields)
    return None


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
