"""Room in the platform's addresses: more of what asks for them, or less of what holds them, never helps."""

from itertools import pairwise

import pytest

from core.rules.engine import check
from core.rules.finding import SEVERITY
from tests.rules.changes import both, count, figures, placing
from tests.rules.machines import good_build


def _severity(**sizes: float) -> int:
    """How grave bar-space is on Ivy Bridge with one card of so large a window beside so much RAM."""
    machine = both(
        placing(1, bar1="whole_memory", memory_gb=sizes["gpu_gb"]),
        figures("motherboard", socket="LGA1155"),
        count("ram", 1),
        figures("ram", module_gb=sizes["ram_gb"]),
    )
    findings = check(machine(good_build()))
    return min(SEVERITY[finding.status] for finding in findings if finding.rule == "bar-space")


@pytest.mark.parametrize("gpu_gb", [4, 8, 12, 16, 24, 32, 48])
def test_more_ram_never_helps_where_it_shares_the_addresses(gpu_gb: float) -> None:
    severities = [_severity(gpu_gb=gpu_gb, ram_gb=ram_gb) for ram_gb in (2, 4, 8, 16, 24, 32, 48, 64)]
    assert all(after <= before for before, after in pairwise(severities)), severities


@pytest.mark.parametrize("ram_gb", [2, 8, 16, 32])
def test_a_larger_window_never_helps(ram_gb: float) -> None:
    severities = [_severity(gpu_gb=gpu_gb, ram_gb=ram_gb) for gpu_gb in (4, 8, 12, 16, 24, 32, 48)]
    assert all(after <= before for before, after in pairwise(severities)), severities


def test_the_ends_of_the_scale_differ() -> None:
    assert _severity(gpu_gb=24, ram_gb=8) > _severity(gpu_gb=24, ram_gb=16) > _severity(gpu_gb=24, ram_gb=32)
    assert _severity(gpu_gb=12, ram_gb=16) > _severity(gpu_gb=24, ram_gb=16)
