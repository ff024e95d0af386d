"""Published and logged idle watts lie within the band of their class, and no card idles near its limit."""

from dataclasses import replace

import pytest

from core.parts.specs import GpuSpec
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.line import Line
from core.predict.components import idle_w
from core.predict.conditions import LoadCase
from core.predict.power import predict_power
from tests.rules.machines import part
from tests.shipped import parts_by_id, shipped_of

LOGGED = [
    ("nvidia-tesla-p40", 10),
    ("nvidia-tesla-p40", 45),
    ("nvidia-tesla-k80", 50),
    ("nvidia-rtx-3090-founders-edition", 7),
    ("nvidia-rtx-3090-founders-edition", 24),
    ("nvidia-rtx-5090-founders-edition", 12),
    ("nvidia-rtx-5090-founders-edition", 25),
    ("nvidia-a40-48gb", 30),
    ("nvidia-rtx-pro-6000-blackwell-server", 28),
    ("nvidia-h100-sxm5-80gb", 70),
    ("nvidia-b200-sxm-180gb", 137),
    ("amd-instinct-mi355x-288gb", 238),
]


@pytest.mark.parametrize(("part_id", "watts"), LOGGED)
def test_what_was_logged_lies_within_the_band(part_id: str, watts: float) -> None:
    spec = parts_by_id()[part_id].spec
    assert isinstance(spec, GpuSpec)
    low, _, high = idle_w(spec)
    assert low <= watts <= high


def test_no_shipped_card_idles_at_a_third_of_its_limit_or_more() -> None:
    for card in shipped_of(Category.GPU):
        assert isinstance(card.spec, GpuSpec)
        low, expected, high = idle_w(card.spec)
        assert 0 < low < expected < high
        if card.spec.power_limit_w is not None:
            assert high < card.spec.power_limit_w / 3, card.id


def test_a_card_of_30_w_idles_at_a_few_watts() -> None:
    small = part("gpu", power_limit_w=30, idle_power_w=None, memory_type="GDDR5")
    idle = predict_power(Build(lines=(Line(small),))).dc_w[LoadCase.IDLE]
    assert (round(idle.low), round(idle.expected), round(idle.high)) == (1, 3, 7)


def test_a_set_limit_saves_nothing_when_idle() -> None:
    line = Line(part("gpu", power_limit_w=300, idle_power_w=None))
    held = replace(line, power_limit_w=150.0)
    free, less = (predict_power(Build(lines=(one,))).dc_w[LoadCase.IDLE] for one in (line, held))
    assert free == less
