"""Whole machines: the reference systems as their makers describe them, limits, heat and price."""

import json
from dataclasses import replace
from datetime import date

import pytest

from core.parts.part import Price
from core.plan.build import Build
from core.plan.line import Line
from core.predict.conditions import Conditions
from core.predict.power import predict_power
from core.predict.speed.memory_fit import Fits
from core.predict.speed.networks import ComputePrecision, Network
from core.predict.speed.speed import BuildSpeed, predict_speed
from core.predict.thermal.heat import CardHeat, Heat, predict_heat
from tests.predict.speed.machines import gpu, machine
from tests.shipped import templates


def _heat(build: Build) -> Heat:
    return predict_heat(build, Conditions(), predict_power(build))


def _expected(speed: BuildSpeed, network: Network) -> float:
    rate = speed.of(network).rate
    return rate.expected


def test_dgx_1_with_v100_trains_convolutions_as_published() -> None:
    """ResNet-50 on 8 V100: 8322 (PyTorch), 9510 (TensorFlow) and 10,723 images/s (MXNet), NVIDIA."""
    rate = predict_speed(templates()["nvidia-dgx-1v"]).of(Network.CNN).rate
    assert rate is not None
    for measured in (6174, 8322, 9510, 10723):
        assert rate.low <= measured <= rate.high


def test_dgx_1_with_p100_trains_convolutions_as_published() -> None:
    """ResNet-50 on 8 P100: 1734 images/s, 7.9 times one (TensorFlow)."""
    speed = predict_speed(templates()["nvidia-dgx-1"]).of(Network.CNN)
    assert speed.rate.expected == pytest.approx(1734, rel=0.1)
    assert speed.efficiency.expected == pytest.approx(7.92 / 8, abs=0.02)


def test_v100_over_p100_as_their_maker_says() -> None:
    """On 8 cards 2.5 x in GoogLeNet, which the bands span; 1.5 x in FP32."""
    new, old = (predict_speed(templates()[name]).of(Network.CNN).rate for name in ("nvidia-dgx-1v", "nvidia-dgx-1"))
    assert new.low / old.high < 2.5 < new.high / old.low
    full = (
        predict_speed(templates()[name], precision=ComputePrecision.FP32) for name in ("nvidia-dgx-1v", "nvidia-dgx-1")
    )
    faster, slower = (_expected(speed, Network.CNN) for speed in full)
    assert faster / slower == pytest.approx(1.5, abs=0.2)


def test_the_digits_devbox_is_nearly_four_times_one_titan_x() -> None:
    """AlexNet on ImageNet: 13 h on the box, two days on one card, 3.7 x; its maker says 4 x."""
    efficiency = predict_speed(templates()["digits-devbox"]).of(Network.CNN).efficiency
    assert efficiency.low < 48 / 13 / 4 < efficiency.high


def test_the_dgx_stations_cards_are_joined_by_nvlink_of_unknown_rate() -> None:
    speed = predict_speed(templates()["nvidia-dgx-station"])
    assert "nvidia-tesla-v100-dgxs-32gb.nvlink_gbps" in speed.missing
    assert any("NVLink" in reason for reason in speed.of(Network.TRANSFORMER).reasons)


def test_convolutions_scale_better_than_recurrent_nets_in_every_reference_system() -> None:
    for name, build in templates().items():
        speed = predict_speed(build)
        images, lstm = speed.of(Network.CNN), speed.of(Network.LSTM).efficiency
        assert images.rate is not None
        waiting = images.starved.demand[1] / images.rate.expected if images.starved else 1.0
        assert images.efficiency.expected * waiting > lstm.expected, name


def test_cards_that_sit_where_they_get_narrow_links_scale_worse() -> None:
    good, poor = (predict_speed(templates()[f"six-rtx-3090-{name}"]) for name in ("quiet", "first-attempt"))
    for network in Network:
        few, many = poor.of(network).efficiency, good.of(network).efficiency
        assert few.expected < many.expected


def test_a_power_limit_and_heat_are_reported_and_cost_speed() -> None:
    free = machine(gpu(), (1, 3))
    limited = free.with_lines(
        tuple(replace(line, power_limit_w=180) if line.part.id == "gpu" else line for line in free.lines)
    )
    for network in Network:
        assert _expected(predict_speed(limited), network) < _expected(predict_speed(free), network)
    assert "60 % of it" in " ".join(predict_speed(limited).of(Network.CNN).reasons)
    cool = _heat(free)
    hot = replace(cool, cards=tuple(_throttled(card, 0.7) for card in cool.cards))
    assert _expected(predict_speed(free, hot), Network.CNN) < _expected(predict_speed(free, cool), Network.CNN)


def test_all_wait_for_the_card_that_heat_slows_down() -> None:
    build = machine(gpu(), (1, 3))
    cool = _heat(build)
    one_hot = replace(cool, cards=(_throttled(cool.cards[0], 0.4), *cool.cards[1:]))
    speed = predict_speed(build, one_hot, (Network.TRANSFORMER,)).of(Network.TRANSFORMER)
    assert "all wait for it" in " ".join(speed.reasons)
    assert speed.efficiency.expected < 0.9


def _throttled(card: CardHeat, share: float) -> CardHeat:
    watts = share * card.asked_w
    return replace(card, power_w=replace(card.power_w, low=watts, expected=watts, high=watts))


def test_one_card_needs_no_link_and_no_card_has_no_speed() -> None:
    one = predict_speed(machine(gpu(), (1,))).of(Network.CNN)
    assert one.rate is not None
    assert one.rate == one.cards[0].rate
    assert (one.efficiency, one.exchange_ms) == (None, None)
    nothing = predict_speed(Build()).of(Network.CNN)
    assert (nothing.rate, nothing.cards, nothing.memory) == (None, (), None)


def test_a_card_of_unknown_figures_leaves_the_whole_unknown_and_names_them() -> None:
    speed = predict_speed(machine(gpu(fp32_tflops=None, cores=None, fp16_tensor_tflops=None), (1, 3)))
    assert speed.of(Network.CNN).rate is None
    assert "gpu.fp16_tensor_tflops" in speed.missing


def test_the_precision_can_be_asked_for() -> None:
    build = machine(gpu(), (1, 3))
    mixed, full = (predict_speed(build, precision=one) for one in (ComputePrecision.MIXED, ComputePrecision.FP32))
    for network in Network:
        assert _expected(mixed, network) > _expected(full, network)


def test_the_reference_network_fits_or_does_not() -> None:
    fits = {
        size: predict_speed(machine(gpu(memory_gb=size), (1, 3))).of(Network.TRANSFORMER).memory for size in (4, 24)
    }
    assert [fit.fits for fit in fits.values() if fit] == [Fits.NO, Fits.YES]


def test_speed_for_the_price_is_of_the_gpus_and_of_the_build_if_all_prices_are_known() -> None:
    price = Price(amount=2000, currency="EUR", as_of=date(2026, 1, 1), kind="own")
    card = gpu().model_copy(update={"price": price})
    speed = predict_speed(machine(card, (1, 3))).of(Network.CNN)
    assert speed.per_price.gpus.expected == pytest.approx(speed.rate.expected / 4)
    assert (speed.per_price.currency, speed.per_price.build) == ("EUR", None)
    alone = predict_speed(Build(lines=(Line(card, 2),))).of(Network.CNN).per_price
    assert alone.build == alone.gpus
    assert predict_speed(machine(gpu(), (1, 3))).of(Network.CNN).per_price is None


def test_the_terms_of_computing_memory_and_exchange_stand_in_the_document() -> None:
    document = predict_speed(machine(gpu(), (1, 3))).of(Network.CNN).as_dict()
    for card in document["cards"]:
        computing, moving = card["compute_ms_per_1000"], card["memory_ms_per_1000"]
        assert card["compute_part"] == pytest.approx(computing[1] / (computing[1] + moving[1]), abs=1e-3)
        assert 1e6 / card["rate"]["expected"] == pytest.approx(computing[1] + moving[1] + 150, rel=0.01), (
            "150 ms waiting"
        )
    assert document["exchange_ms"]["expected"] > 0


def test_it_is_pure_and_goes_into_json() -> None:
    build = templates()["six-rtx-3090-quiet"]
    heat = _heat(build)
    first, second = (predict_speed(one, heat) for one in (build, build.with_lines(tuple(reversed(build.lines)))))
    assert first.as_dict() == second.as_dict()
    assert set(json.loads(json.dumps(first.as_dict(), allow_nan=False))) == {"networks", "assumptions", "missing"}
