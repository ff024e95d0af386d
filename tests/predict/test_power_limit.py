"""Speed against the power limit."""

from __future__ import annotations

from itertools import pairwise

import pytest

from core.parts.part import Part
from core.predict.power_limit import speed_at_limit
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
