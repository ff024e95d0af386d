"""The process that reads the board power of all NVIDIA GPUs: `python -m core.machine.telemetry.nvml.power_meter`.

Ten times a second, for measurements beside a load; a burn-in has the sampler. It needs nvidia-ml-py and nothing else.
One JSON object a line goes out, and it ends when standard input closes:
    cards     driver, cards (by UUID: name, vbios, power_default_w, power_limit_w, memory_mb,
              memory_used_mb, pcie)
    power     at_s (monotonic), cards (by UUID: power_w, power_limit_w, clock_mhz, memory_clock_mhz, temperature_c,
              throttle_mask; None where the card does not tell)
    problem   text: there is no driver, or it stopped answering
"""

from __future__ import annotations

import argparse
import signal
import time
from collections.abc import Sequence
from typing import Any

from core.machine.telemetry.nvml.device import read_temperature_c
from core.machine.telemetry.nvml.gate import DeviceLost, Gate, open_library, text_of
from core.platform.errors import EnvironmentProblem
from core.platform.protocol import Channel, open_channel
from core.words import tr

INTERVAL_S = 0.1
_SM, _MEMORY = 1, 2  # nvmlClockType_t
_MB = 2**20


def main(arguments: Sequence[str] | None = None) -> None:
    """Reads until standard input closes, or nothing answers any more."""
    parser = argparse.ArgumentParser(
        prog="core.machine.telemetry.nvml.power_meter", description="Reads the power of all GPUs."
    )
    parser.add_argument("--interval", type=float, default=INTERVAL_S, metavar="S")
    interval_s = parser.parse_args(arguments).interval
    channel = open_channel()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        _measure(channel, interval_s)
    except ImportError as error:
        channel.send("problem", text=tr("{error}: install nvidia-ml-py to measure power.", error=error))
    except EnvironmentProblem as problem:
        channel.send("problem", text=str(problem))
    except DeviceLost as loss:
        channel.send("problem", text=tr("A GPU does not answer any more: {loss}.", loss=loss))


def _measure(channel: Channel, interval_s: float) -> None:
    library = open_library()
    driver = Gate(library)
    gates = _gates(library, driver)
    version = text_of(driver.call("nvmlSystemGetDriverVersion"))
    channel.send("cards", driver=version, cards={uuid: _described(gate) for uuid, gate in gates.items()})
    while True:
        at_s = time.monotonic()
        channel.send("power", at_s=at_s, cards={uuid: _reading(gate) for uuid, gate in gates.items()})
        channel.receive(max(interval_s - (time.monotonic() - at_s), 0.001))


def _gates(library: Any, driver: Gate) -> dict[str, Gate]:
    gates: dict[str, Gate] = {}
    for index in range(driver.call("nvmlDeviceGetCount") or 0):
        handle = driver.call("nvmlDeviceGetHandleByIndex", index)
        if handle is None:
            continue
        gate = Gate(library, handle)
        uuid = text_of(gate.call("nvmlDeviceGetUUID"))
        if uuid is not None:
            gates[uuid] = gate
    return gates


def _described(gate: Gate) -> dict[str, Any]:
    memory = gate.call("nvmlDeviceGetMemoryInfo")
    generation = gate.call("nvmlDeviceGetMaxPcieLinkGeneration")
    lanes = gate.call("nvmlDeviceGetMaxPcieLinkWidth")
    return {
        "name": text_of(gate.call("nvmlDeviceGetName")),
        "vbios": text_of(gate.call("nvmlDeviceGetVbiosVersion")),
        "power_default_w": _watts(gate.call("nvmlDeviceGetPowerManagementDefaultLimit")),
        "power_limit_w": _watts(gate.call("nvmlDeviceGetEnforcedPowerLimit")),
        "memory_mb": None if memory is None else memory.total // _MB,
        "memory_used_mb": None if memory is None else memory.used // _MB,
        "pcie": None if generation is None or lanes is None else f"{generation}.0 x{lanes}",
    }


def _reading(gate: Gate) -> dict[str, float | None]:
    gate.tick()
    ask = gate.call
    return {
        "power_w": _watts(ask("nvmlDeviceGetPowerUsage")),
        "power_limit_w": _watts(ask("nvmlDeviceGetEnforcedPowerLimit")),
        "clock_mhz": ask("nvmlDeviceGetClockInfo", _SM),
        "memory_clock_mhz": ask("nvmlDeviceGetClockInfo", _MEMORY),
        "temperature_c": read_temperature_c(gate),
        "throttle_mask": gate.either(
            "nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"
        ),
    }


def _watts(milliwatts: float | None) -> float | None:
    return None if milliwatts is None else milliwatts / 1e3


if __name__ == "__main__":
    main()
