"""Which number formats a device offers: by its compute capability, by what this framework holds, and by trying.

The 8-bit, 4-bit and sparse products are young in the libraries: some versions refuse them on some cards or systems. A
small product tells, and a refusal is a reason not to run them, never a fault of the card.
"""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import shorten

import torch

from core.language import tr
from core.loads.blame import Blame, cause_of, detail
from core.loads.products.formats import Format, ProductKind, product_precision
from core.loads.products.operands import normal_operands

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
        return tr(
            "{format} is not offered by this PyTorch ({version}). Install a newer one.",
            format=format_.name,
            version=torch.__version__,
        )
    if device.type != "cuda":
        return None if format_.on_cpu else tr("{format} is not run on CPUs.", format=format_.name)
    capability = torch.cuda.get_device_capability(device)
    if capability >= format_.gpu_capability:
        return None
    needed, present = (".".join(map(str, version)) for version in (format_.gpu_capability, capability))
    return tr(
        "{format} needs compute capability {needed}; this GPU has {present}.",
        format=format_.name,
        needed=needed,
        present=present,
    )


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
        told = shorten(detail(error).partition(". ")[0], LONGEST_WORDS, placeholder=" …")
        return tr(
            "{format} is refused by this PyTorch ({version}) on this device: {told}.",
            format=format_.name,
            version=torch.__version__,
            told=told,
        )
    return None
