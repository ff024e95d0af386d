"""What a stage needs of a device or of the devices together, and the sentence for one that lacks it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.telemetry.device import Device, DeviceKind


@dataclass(frozen=True, slots=True)
class Need:
    """`lacking` gives the reason why a device among the burned ones cannot run the stage; None where it can."""

    words: str
    lacking: Callable[[Device, Sequence[Device]], str | None]


def _no_gpu(device: Device, _: Sequence[Device]) -> str | None:
    return None if device.kind is DeviceKind.GPU else "It needs a GPU; this is the machine's CPU."


def _no_peer(device: Device, burned: Sequence[Device]) -> str | None:
    gpus = [other for other in burned if other.kind is DeviceKind.GPU and not other.parent]
    if device.kind is not DeviceKind.GPU:
        return _no_gpu(device, burned)
    if device.parent:
        return "It needs whole GPUs: shares of a GPU (MIG) have no way to each other."
    return None if len(gpus) > 1 else "It needs at least two GPUs; one is burned in."


def _no_ranks(device: Device, burned: Sequence[Device]) -> str | None:
    """A CPU that is burned in alone shares itself among several ranks."""
    if device.kind is DeviceKind.GPU:
        return _no_peer(device, burned)
    alone = all(other.kind is DeviceKind.CPU for other in burned)
    return None if alone else "The GPUs do this together; the CPU has no part in it."


def _no_twin(device: Device, burned: Sequence[Device]) -> str | None:
    is_whole = device.kind is DeviceKind.GPU and not device.parent
    if is_whole and not any(o.name == device.name and o.id != device.id for o in burned):
        return f"It needs at least two devices of one model; there is one {device.name}."
    return _no_ranks(device, burned)


GPU = Need("a GPU", _no_gpu)
SEVERAL_RANKS = Need("two GPUs, or a CPU alone", _no_ranks)
SEVERAL_ALIKE = Need("two GPUs of one model, or a CPU alone", _no_twin)
