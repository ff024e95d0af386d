"""Speed against the power limit."""

from __future__ import annotations

from itertools import pairwise
from math import inf, nan
from typing import Any

import pytest

from core.errors import BadInput
from core.parts.part import Part
from core.parts.specs import GpuSpec
from core.predict.power_limit import accepted_limits, require_accepted, speed_at_limit
from tests.rules.machines import part

SHARES = [share / 100 for share in range(1, 121)]


def card(product: str, limit_w: float, **changes: object) -> Part:
    return part("gpu", product=product, power_limit_w=limit_w, power_limit_min_w=100, **changes)


@pytest.mark.parametrize(
    ("product", "own_w", "limit_w", "kept"),
    [
        ("GeForce RTX 3090", 350, 280, 0.95),
        ("RTX PRO 6000 Blackwell Workstation Edition", 600, 300, 0.96),
        ("RTX PRO 6000 Blackwell Workstation Edition", 600, 300, 0.70),
        ("GeForce RTX 4090", 450, 360, 0.94),
        ("GeForce RTX 4090", 450, 450, 1.0),
    ],
)
def test_the_band_holds_what_was_measured(product: str, own_w: float, limit_w: float, kept: float) -> None:
    band = speed_at_limit(card(product, own_w), limit_w)
    assert band.low <= kept <= band.high
    assert band.assumptions


@pytest.mark.parametrize("product", ["GeForce RTX 3090", "RTX PRO 6000 Blackwell Max-Q", "Test 300"])
def test_less_power_is_never_faster(product: str) -> None:
    bands = [speed_at_limit(card(product, 350), 350 * share) for share in SHARES]
    for less, more in pairwise(bands):
        assert less.low <= more.low
        assert less.expected <= more.expected <= 1
        assert less.high <= more.high


def test_a_limit_below_the_least_counts_as_the_least() -> None:
    own = card("Test 300", 300)
    assert speed_at_limit(own, 20).expected == speed_at_limit(own, 100).expected
    assert any("no limit below 100 W" in said for said in speed_at_limit(own, 20).assumptions)


def test_an_unknown_limit_gives_a_wide_band_that_names_it() -> None:
    band = speed_at_limit(part("gpu", power_limit_w=None), 200)
    assert band.missing == ("gpu.power_limit_w",)
    assert band.width >= 0.5
    with pytest.raises(ValueError, match="no GPU"):
        speed_at_limit(part("cpu"), 100)


@pytest.mark.parametrize(
    ("figures", "low_w", "high_w", "stated"),
    [
        ({"power_limit_min_w": 100, "power_limit_max_w": 350}, 100, 350, True),
        ({"power_limit_min_w": 100, "power_limit_max_w": None}, 100, 390, False),
        ({"power_limit_min_w": None, "power_limit_max_w": 320}, 90, 320, False),
        ({"power_limit_w": None, "power_limit_min_w": None, "power_limit_max_w": None}, 30, 1500, False),
    ],
)
def test_a_driver_accepts_what_is_stated_or_what_is_usual_about_the_own_limit(
    figures: dict[str, Any], low_w: float, high_w: float, stated: bool
) -> None:
    gpu = part("gpu", **figures)
    assert isinstance(gpu.spec, GpuSpec)
    accepted = accepted_limits(gpu.spec)
    assert (accepted.low_w, accepted.high_w, accepted.stated) == (pytest.approx(low_w), pytest.approx(high_w), stated)
    for asked in (low_w, (low_w + high_w) / 2, high_w):
        require_accepted(gpu, asked)
    for refused in (low_w - 1, high_w + 1, nan, inf, -inf):
        with pytest.raises(BadInput, match=rf"does not accept a power limit.*{low_w:.0f} to {high_w:.0f} W"):
            require_accepted(gpu, refused)
