"""Parameters of a load that the runner injects, since no worker knows them: stated peaks, transport between cards."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from core.burnin.planned import shipped_card
from core.loads.table import load_entry
from core.loads.training.contract import Precision, default_precision
from core.machine.telemetry.device import Device, DeviceKind
from core.parts.part import Part
from core.predict.speed.networks import ComputePrecision as Arithmetic
from core.predict.speed.peaks import peaks_of

ARITHMETIC = {
    Precision.FP32: Arithmetic.FP32,
    Precision.TF32: Arithmetic.TF32,
    Precision.AMP_BF16: Arithmetic.MIXED,
    Precision.AMP_FP16: Arithmetic.MIXED,
}
DIRECT = ("read", "write", "nvlink")
DISPLAY_MIB = 256
"""Left free where a display is attached: windows that are opened meanwhile must find memory."""


def injected_params(load: str, device: Device, params: Mapping[str, Any]) -> dict[str, Any]:
    """Further parameters of a load on a device, as far as the load takes them and they are not given already."""
    unset = load_entry(load).params.model_fields.keys() - params.keys()
    further: dict[str, Any] = {}
    if "peak_tflops" in unset and (peak := stated_peak_tflops(device, params.get("precision"))):
        further["peak_tflops"] = peak
    if "transport" in unset and device.p2p:
        further["transport"] = transport_words(device)
    if "keep_mib" in unset and device.display:
        further["keep_mib"] = DISPLAY_MIB
    return further


def stated_peak_tflops(device: Device, precision: object = None) -> float | None:
    """What the data sheet of the card's product tells for a training in this precision, or in the usual one.

    None for a CPU, an unknown product, or a figure that would have to be derived from others.
    """
    capability = _capability(device)
    if device.kind is not DeviceKind.GPU or (precision is None and capability is None):
        return None
    precisions = [one for one in Precision if one == precision]
    part = _product(device.name, device.memory_mb)
    if part is None or (precision is not None and not precisions):
        return None
    figure = peaks_of(part).rate(ARITHMETIC[precisions[0] if precisions else default_precision(capability)])
    return None if figure is None or figure.missing else round(figure.values[1], 3)


def transport_words(device: Device) -> str:
    """What the driver says of direct access from this GPU to the others, in words."""
    links = []
    for other, access in device.p2p.items():
        answers = [f"{name} {access[name]}" for name in DIRECT if name in access]
        over = f" over {device.topology[other]}" if other in device.topology else ""
        links.append(f"to {other}{over}: {', '.join(answers) or 'nothing told'}")
    return "; ".join(links)


def _capability(device: Device) -> tuple[int, int] | None:
    major, _, minor = (device.compute_capability or "").partition(".")
    return (int(major), int(minor)) if major.isdecimal() and minor.isdecimal() else None


@cache
def _product(name: str, memory_mb: int | None) -> Part | None:
    """Reading the catalogue takes a moment, and several cards are mostly of one model."""
    return shipped_card(Device(id="", kind=DeviceKind.GPU, name=name, memory_mb=memory_mb))
