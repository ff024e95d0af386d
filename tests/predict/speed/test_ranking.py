"""The order of GPUs follows what each kind of network wants, and says why."""

import json
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parts.chips import chip_memory_gb
from core.parts.money import PER_USD
from core.parts.part import Part, Price
from core.parts.specs import GpuSpec
from core.parts.vocabulary import Category
from core.predict.speed.memory_fit import Fits
from core.predict.speed.networks import Network
from core.predict.speed.ranking import WEIGHTS, Ranked, RankingCriterion, by_price, one_per_product, rank_gpus
from tests.predict.speed.machines import gpu
from tests.shipped import parts_by_id, shipped_of

FIELDS = {
    RankingCriterion.TENSOR: "fp16_tensor_tflops",
    RankingCriterion.FLOPS: "fp32_tflops",
    RankingCriterion.BANDWIDTH: "memory_bandwidth_gbps",
    RankingCriterion.MEMORY: "memory_gb",
    RankingCriterion.FP16: "fp16_tflops",
}


def _priced(part: Part, amount: float, currency: str = "USD", kind: str = "own") -> Part:
    return part.model_copy(update={"price": Price(amount=amount, currency=currency, as_of=date(2026, 1, 1), kind=kind)})


def _ids(ranked: tuple[Ranked, ...]) -> list[str]:
    return [one.part.id for one in ranked]


@pytest.mark.parametrize(
    ("network", "order"),
    [
        (Network.CNN, [["tensor cores"], ["FP32 rate"], ["memory bandwidth"], ["FP16 rate"]]),
        (Network.LSTM, [["memory bandwidth", "memory size"], ["FP16 rate"], ["tensor cores"], ["FP32 rate"]]),
    ],
)
def test_the_figures_count_in_the_order_of_the_advice(network: Network, order: list[list[str]]) -> None:
    weights = WEIGHTS[network]
    ranks = sorted(set(weights.values()), reverse=True)
    assert [sorted(c.value for c, weight in weights.items() if weight == rank) for rank in ranks] == order


def test_a_transformer_wants_memory_first_and_stands_between_the_two() -> None:
    cnn, lstm, transformer = (WEIGHTS[network] for network in (Network.CNN, Network.LSTM, Network.TRANSFORMER))
    assert sorted(transformer, key=lambda c: -transformer[c])[:2] == [
        RankingCriterion.MEMORY,
        RankingCriterion.BANDWIDTH,
    ]
    assert lstm[RankingCriterion.TENSOR] < transformer[RankingCriterion.TENSOR] < cnn[RankingCriterion.TENSOR]
    assert cnn.get(RankingCriterion.MEMORY, 0) < transformer[RankingCriterion.MEMORY] < lstm[RankingCriterion.MEMORY]
    assert all(sum(weights.values()) == pytest.approx(1) for weights in WEIGHTS.values())


@given(st.sampled_from(Network), st.sampled_from(RankingCriterion), st.floats(1, 3))
def test_more_of_a_figure_never_ranks_lower(network: Network, criterion: RankingCriterion, more: float) -> None:
    plain = gpu("-plain")
    better = gpu("-better", **{FIELDS[criterion]: getattr(plain.spec, FIELDS[criterion]) * more})
    first, second = rank_gpus([plain, better], network)
    assert first.score.expected >= second.score.expected
    if criterion in WEIGHTS[network] and more > 1.001:
        assert first.part.id == "gpu-better"


@pytest.mark.parametrize("network", Network)
def test_the_order_follows_the_expected_speed_where_memory_is_equal(network: Network) -> None:
    """Of all shipped products; the tensor rate alone puts cards first that wait for their memory."""
    by_size: dict[float, list[float]] = {}
    for one in rank_gpus(one_per_product(shipped_of(Category.GPU)), network):
        assert isinstance(one.part.spec, GpuSpec)
        memory_gb = chip_memory_gb(one.part.spec)
        if memory_gb is not None and one.rate.rate is not None:
            by_size.setdefault(0.0 if network is Network.CNN else memory_gb, []).append(one.rate.rate.expected)
    assert max(map(len, by_size.values())) > 10
    assert all(speeds == sorted(speeds, reverse=True) for speeds in by_size.values())


def test_cards_whose_speed_was_published_stand_in_its_order() -> None:
    """ResNet-50 in mixed precision, Lambda: the H200 3079, the H100 2791, the A100 1582, the RTX 4090 1301, the V100
    833 images/s.
    """
    order = ("h200-sxm5-141gb", "h100-sxm5-80gb", "a100-sxm4-80gb", "rtx-4090-founders-edition", "tesla-v100-sxm2-16gb")
    ids = [f"nvidia-{name}" for name in order]
    assert _ids(rank_gpus([parts_by_id()[part_id] for part_id in reversed(ids)], Network.CNN)) == ids


def test_a_v100_is_before_a_p100_and_a_1080_ti_for_every_network() -> None:
    old = ("nvidia-tesla-v100-sxm2-16gb", "nvidia-tesla-p100-sxm2-16gb", "nvidia-gtx-1080-ti-founders-edition")
    for network in Network:
        assert _ids(rank_gpus([parts_by_id()[part_id] for part_id in reversed(old)], network))[0] == old[0]
    assert _ids(rank_gpus([parts_by_id()[part_id] for part_id in old], Network.LSTM)) == list(old)


def test_memory_and_bandwidth_turn_the_order_for_recurrent_nets() -> None:
    fast = gpu("-fast", fp16_tensor_tflops=200, fp32_tflops=80, fp16_tflops=80, memory_gb=16, memory_bandwidth_gbps=950)
    wide = gpu("-wide", fp16_tensor_tflops=120, fp32_tflops=30, fp16_tflops=30, memory_gb=48, memory_bandwidth_gbps=900)
    assert _ids(rank_gpus([fast, wide], Network.CNN)) == ["gpu-fast", "gpu-wide"]
    assert _ids(rank_gpus([fast, wide], Network.LSTM)) == ["gpu-wide", "gpu-fast"]
    assert _ids(rank_gpus([fast, wide], Network.TRANSFORMER)) == ["gpu-wide", "gpu-fast"]


def test_an_rtx_3090_scores_one() -> None:
    (only,) = rank_gpus([parts_by_id()["nvidia-rtx-3090-founders-edition"]], Network.TRANSFORMER)
    assert only.score.expected == pytest.approx(1.0)


def test_every_place_has_its_reasons_in_sentences() -> None:
    for network in Network:
        for one in rank_gpus(one_per_product(shipped_of(Category.GPU)), network, 7e9):
            assert len(one.reasons) >= 2
            assert all(reason.endswith(".") for reason in one.reasons)
            assert "rule of thumb" in one.reasons[-1] or "unknown" in one.reasons[-1]


def test_a_card_without_tensor_cores_says_so() -> None:
    (only,) = rank_gpus([parts_by_id()["nvidia-gtx-1080-ti-founders-edition"]], Network.CNN)
    assert "no tensor cores (matrices at 11.3 TFLOPS)" in only.reasons[0]


@pytest.mark.parametrize("network", Network)
@pytest.mark.parametrize("fp16_tflops", [None, 40.0])
def test_unknown_figures_are_no_reason(network: Network, fp16_tflops: float | None) -> None:
    """As of accelerators that do matrices alone."""
    changes = {"fp32_tflops": None, "cores": None, "fp16_tflops": fp16_tflops, "fp16_tensor_tflops": 1800.0}
    (one,) = rank_gpus([gpu(**changes)], network)
    assert "FP32 rate" not in " ".join(one.reasons)
    assert one.reasons[0].count("x RTX 3090") == 2


def test_those_whose_memory_holds_the_model_come_first() -> None:
    small, large = gpu("-small", fp16_tensor_tflops=900), gpu("-large", memory_gb=141)
    assert _ids(rank_gpus([small, large], Network.CNN)) == ["gpu-small", "gpu-large"]
    ranked = rank_gpus([small, large], Network.CNN, 7e9)
    assert _ids(ranked) == ["gpu-large", "gpu-small"]
    fits = [one.memory.fits for one in ranked if one.memory]
    assert fits == [Fits.YES, Fits.NO]
    assert "sharded over" in ranked[1].reasons[-1]


def test_speed_for_the_price_where_the_price_is_known() -> None:
    cheap, dear, unpriced = _priced(gpu("-cheap"), 1000), _priced(gpu("-dear"), 4000), gpu("-unpriced")
    ranked = by_price(rank_gpus([unpriced, dear, cheap], Network.CNN))
    assert _ids(ranked) == ["gpu-cheap", "gpu-dear", "gpu-unpriced"]
    assert [one.place for one in ranked] == [1, 2, 3]
    first, second, last = (one.per_price for one in ranked)
    assert first and second and last is None
    assert first.expected == pytest.approx(4 * second.expected)
    assert first.unit == "images/s per 1000 USD"


def test_prices_are_ranked_in_one_currency_whatever_its_name() -> None:
    yuan, dollars = _priced(gpu("-yuan"), 7000, "CNY"), _priced(gpu("-dollars"), 5000)
    dinars = _priced(gpu("-dinars"), 1, "AED")
    parts = [dinars, yuan, dollars]
    ranked = by_price(rank_gpus(parts, Network.CNN))
    assert _ids(ranked) == ["gpu-yuan", "gpu-dollars", "gpu-dinars"], "without a rate it stands last"
    assert ranked[0].price and ranked[0].price.amount == pytest.approx(7000 / PER_USD["CNY"])
    document = ranked[0].as_dict()
    assert (document["price"]["currency"], document["compared_price"]["currency"]) == ("CNY", "USD")
    (one,) = one_per_product(parts[1:])
    assert one.id == "gpu-yuan", "the cheapest of its kind, and not the smallest number"


def test_a_launch_price_is_ranked_as_an_estimate() -> None:
    (one,) = rank_gpus([_priced(gpu("-new"), 1000, kind="launch")], Network.CNN)
    estimate = one.as_dict()["price_estimate"]
    assert estimate and estimate["low"] < one.as_dict()["compared_price"]["amount"] < estimate["high"]
    assert one.per_price is not None


def test_the_price_of_a_card_no_longer_sold_is_not_ranked() -> None:
    old = _priced(gpu("-old", discontinued=2020), 100, kind="launch")
    ranked = by_price(rank_gpus([old, _priced(gpu("-new"), 5000)], Network.CNN))
    assert _ids(ranked) == ["gpu-new", "gpu-old"]
    assert ranked[1].per_price is None and ranked[1].as_dict()["price"]["amount"] == 100


@pytest.mark.parametrize(("unknown", "wider"), [({"memory_gb": None}, 1.3), ({"fp16_tensor_tflops": None}, 1.05)])
def test_a_missing_figure_widens_the_score_and_is_named(unknown: dict[str, Any], wider: float) -> None:
    (one,) = rank_gpus([gpu(**unknown)], Network.LSTM if "memory_gb" in unknown else Network.CNN)
    assert one.score.high / one.score.low > wider
    assert f"gpu.{next(iter(unknown))}" in one.missing


def test_a_card_of_which_nothing_is_known_is_left_out() -> None:
    assert rank_gpus([gpu(fp32_tflops=None, cores=None, fp16_tensor_tflops=None)], Network.CNN) == ()


def test_of_each_product_the_best_known_and_cheapest_board_stands() -> None:
    lacking = gpu("-a", fp32_tflops=None, boost_clock_mhz=None)
    dear, cheap, other = _priced(gpu("-b"), 2000), _priced(gpu("-c"), 1000), gpu("-d", memory_gb=48)
    assert {part.id for part in one_per_product([lacking, dear, cheap, other])} == {"gpu-c", "gpu-d"}


def test_the_order_does_not_depend_on_the_order_of_the_catalogue() -> None:
    parts = list(one_per_product(shipped_of(Category.GPU)))
    for network in Network:
        assert _ids(rank_gpus(parts, network)) == _ids(rank_gpus(reversed(parts), network))


def test_it_goes_into_json() -> None:
    for one in rank_gpus(shipped_of(Category.GPU), Network.TRANSFORMER, 7e9):
        assert json.loads(json.dumps(one.as_dict(), allow_nan=False))["place"] == one.place
