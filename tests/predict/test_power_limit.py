"""Speed against the power limit."""

from itertools import pairwise
from math import inf, nan
from typing import Any

import pytest

from core.parts.part import Part
from core.parts.specs import GpuSpec
from core.platform.errors import BadInput
from core.predict.conditions import Conditions
from core.predict.curves import AtLimit, over_limits, why_faster, whys_faster
from core.predict.power_limit import accepted_limits, require_accepted, speed_at_limit
from core.predict.speed.networks import Network, Triple
from tests.predict.thermal.test_blowers import tower
from tests.rules.machines import part

SHARES = [share / 100 for share in range(1, 121)]


def card(product: str, limit_w: float, **changes: object) -> Part:
    return part("gpu", product=product, power_limit_w=limit_w, power_limit_min_w=100, **changes)


@pytest.mark.parametrize(
    ("product", "own_w", "limit_w", "measured"),
    [
        ("GeForce RTX 3090", 350, 280, 0.95),
        ("RTX PRO 6000 Blackwell Workstation Edition", 600, 300, 0.96),
        ("RTX PRO 6000 Blackwell Workstation Edition", 600, 300, 0.70),
        ("GeForce RTX 4090", 450, 360, 0.94),
        ("GeForce RTX 4090", 450, 450, 1.0),
    ],
)
def test_the_band_holds_what_was_measured(product: str, own_w: float, limit_w: float, measured: float) -> None:
    band = speed_at_limit(card(product, own_w), limit_w)
    assert band.low <= measured <= band.high
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
    assert any("no limit below 100 W" in sentence for sentence in speed_at_limit(own, 20).assumptions)


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
    for limit_w in (low_w, (low_w + high_w) / 2, high_w):
        require_accepted(gpu, limit_w)
    for refused in (low_w - 1, high_w + 1, nan, inf, -inf):
        with pytest.raises(BadInput, match=rf"does not accept a power limit.*{low_w:.0f} to {high_w:.0f} W"):
            require_accepted(gpu, refused)


def at(share: float, speed: float | None, hottest_share: float | None) -> AtLimit:
    three, drawn_w = (1.0, 1.0, 1.0), hottest_share and hottest_share * share * 350
    rates: dict[str, Triple | None] = {network.value: None for network in Network} | {
        "cnn": speed and (speed, speed, speed)
    }
    return AtLimit(share, {}, three, three, (80.0, 83.0, 85.0), hottest_share, drawn_w, None, rates)


def test_where_a_lower_limit_is_faster_the_heat_that_takes_the_speed_is_named() -> None:
    words = why_faster([at(0.6, 90.0, 1.0), at(0.8, 110.0, 0.95), at(1.0, 100.0, 0.64)], "cnn")
    assert words.startswith("10 % faster at 80 % of the limit than at 100 %")
    assert "the hottest is throttled to 224 W at 83 °C; here it draws 266 W" in words


def test_the_reason_stands_under_the_kind_of_network_that_it_is_of() -> None:
    points = [at(0.8, 110.0, 0.95), at(1.0, 100.0, 0.64)]
    assert list(whys_faster(points)) == [f"CNN: {why_faster(points, 'cnn')}"]


@pytest.mark.parametrize(
    "points",
    [
        [at(0.8, 95.0, 1.0), at(1.0, 100.0, 1.0)],
        [at(0.8, 100.2, 1.0), at(1.0, 100.0, 0.99)],
        [at(0.8, None, 1.0), at(1.0, None, 0.5)],
        [],
    ],
)
def test_no_reason_is_named_where_the_highest_limit_is_the_fastest_or_nobody_knows(points: list[AtLimit]) -> None:
    assert why_faster(points, "cnn") == ""


def test_four_cards_without_a_gap_are_faster_at_a_lower_limit() -> None:
    build = tower("nvidia-rtx-3090-founders-edition", 4)
    assert "% faster at 70 % of the limit" in why_faster(over_limits(build, Conditions(), (0.7, 1.0)), "cnn")
