"""Throttle masks are read bit by bit, never compared as a whole."""

import math

import pynvml
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.machine.telemetry.throttle import THROTTLE_REASONS, Severity, reasons, worst


@pytest.mark.parametrize("reason", THROTTLE_REASONS, ids=lambda reason: str(reason.name))
def test_each_bit_is_the_one_that_the_binding_of_the_driver_defines(reason) -> None:
    assert reason.bit == getattr(pynvml, f"nvmlClocksEventReason{reason.name}")


def test_no_bit_of_the_binding_is_forgotten() -> None:
    assert sum(reason.bit for reason in THROTTLE_REASONS) == pynvml.nvmlClocksEventReasonAll


@pytest.mark.parametrize(
    ("mask", "names", "severity"),
    [
        (0, [], Severity.NORMAL),
        (None, [], Severity.NORMAL),
        (math.nan, [], Severity.NORMAL),
        (0x1, ["GpuIdle"], Severity.NORMAL),
        (4.0, ["SwPowerCap"], Severity.NORMAL),
        (0x4 | 0x20, ["SwPowerCap", "SwThermalSlowdown"], Severity.WARN),
        (0x8 | 0x40, ["HwSlowdown", "HwThermalSlowdown"], Severity.FAIL),
        (0x4 | 0x80, ["SwPowerCap", "HwPowerBrakeSlowdown"], Severity.FAIL),
        (0x200, ["0x200"], Severity.WARN),
        (0x1000 | 0x4, ["SwPowerCap", "0x1000"], Severity.WARN),
    ],
)
def test_a_mask_names_every_reason_in_it(mask: float | None, names: list[str], severity: Severity) -> None:
    assert [reason.name for reason in reasons(mask)] == names
    assert worst(mask) is severity


@given(st.integers(0, 2**32 - 1))
def test_the_reasons_add_up_to_the_mask(mask: int) -> None:
    assert sum(reason.bit for reason in reasons(mask)) == mask
