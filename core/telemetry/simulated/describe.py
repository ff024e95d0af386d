"""What a simulated card says it is."""

from __future__ import annotations

from collections.abc import Iterable

from core.telemetry.device import Device, DeviceKind
from core.telemetry.simulated.faults import Fault
from core.telemetry.simulated.models import Model

LOWEST_LIMIT = 0.3
"""Of the power limit: how far it could be lowered."""
_ALL_REASONS = 0x1FF


def device_id(index: int, model: Model, faults: Iterable[Fault]) -> str:
    """SIM-2-rtx-3090; a slow card is SIM-2-rtx-3090-slow30, by which its load knows that it computes slower."""
    slow = [fault.value for fault in faults if fault.kind.word == "slow" and fault.card in (None, index)]
    return f"SIM-{index}-{model.key}" + (f"-slow{slow[-1]}" if slow else "")


def describe(index: int, model: Model, faults: Iterable[Fault] = ()) -> Device:
    """Marked as simulated. A card that will have memory errors counts them, even where the real one does not."""
    faults = list(faults)
    mine = [fault for fault in faults if fault.card in (None, index) and not fault.kind.of_machine]
    return Device(
        id=device_id(index, model, faults),
        kind=DeviceKind.GPU,
        name=model.name,
        simulated=True,
        index=index,
        bus_id=f"SIM:{index:02d}",
        memory_mb=model.memory_mb,
        power_limit_w=model.power_limit_w,
        power_limit_min_w=LOWEST_LIMIT * model.power_limit_w,
        power_limit_max_w=model.power_limit_w,
        temperature_target_c=model.target_c,
        temperature_slowdown_c=model.slowdown_c,
        temperature_shutdown_c=model.shutdown_c,
        temperature_max_c=model.max_c,
        memory_temperature_max_c=model.memory_max_c,
        pcie_generation_max=model.pcie_generation,
        pcie_generation_card=model.pcie_generation,
        pcie_lanes_max=16,
        ecc=model.has_ecc or any(fault.kind.word in ("ecc", "corrected") for fault in mine),
        mig=False,
        compute_mode="default",
        processes=0,
        fans=2 if model.fans else 0,
        throttle_reasons=_ALL_REASONS,
        detail={
            "simulated": "no real card is measured",
            "peak": f"{model.tflops:g} TFLOP/s",
            **({"faults": ", ".join(_words(fault) for fault in mine)} if mine else {}),
        },
    )


def _words(fault: Fault) -> str:
    begins = f" after {fault.at_s:g} s" if fault.at_s else ""
    return f"{fault.kind.word}{'' if fault.value is None else f' {fault.value}'}{begins}"
