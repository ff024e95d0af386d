"""What cores, drives and RAM feed the cards: which networks wait, with which figures; more of them never slows."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.parts.part import Part
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.predict.band import Band
from core.predict.speed.host import Feed, channels_of, host_of
from core.predict.speed.networks import Network
from core.predict.speed.speed import predict_speed
from core.rules.engine import check
from tests.predict.speed.machines import gpu, machine
from tests.rules.machines import part, with_line

CONSUMER = gpu(product="GeForce RTX 4090")
SLOTS = (1, 2, 3, 4, 5, 6, 7)


def _host(card: Part = CONSUMER, slots: tuple[int, ...] = SLOTS, modules: int = 8, **figures: dict[str, Any]) -> Build:
    """Cards in a machine of so many modules; `figures` changes other parts by category."""
    build = with_line(machine(card, slots), part("ram", **figures.get("ram", {})), modules)
    for category in figures.keys() - {"ram"}:
        build = with_line(build, part(category, **figures[category]))
    return build


def _rate(build: Build, network: Network) -> Band:
    rate = predict_speed(build, networks=(network,)).of(network).rate
    assert rate is not None
    return rate


def test_six_cores_for_seven_cards_hold_images_back_and_leave_language_models_alone() -> None:
    few, many = (_host(cpu={"cores": cores}) for cores in (6, 96))
    images = predict_speed(few).of(Network.CNN)
    assert (images.starved.by, images.rate.expected) == (Feed.CORES, 1500)
    demand = _rate(many, Network.CNN)
    assert images.starved.demand[1] == demand.expected
    assert images.rate.high == demand.high
    words = f"6 cores decode about 1500 images/s; the cards would take {demand.expected:.0f}."
    assert any(reason.startswith(words) for reason in images.reasons)
    for network in (Network.LSTM, Network.TRANSFORMER):
        assert _rate(few, network).expected == _rate(many, network).expected
        assert _rate(few, network).high == _rate(many, network).high
        assert _rate(few, network).low == pytest.approx(6 / 7 * _rate(many, network).low)


def test_rule_and_speed_say_the_same_figure_of_the_cores() -> None:
    build = _host(cpu={"cores": 6, "boost_clock_mhz": 2800})
    starved = predict_speed(build).of(Network.CNN).starved
    decoded = f"decode about {starved.fed[1]:.0f} images/s"
    assert decoded in starved.words
    [finding] = [finding for finding in check(build) if finding.rule == "cpu-cores"]
    assert decoded in finding.message


def test_the_efficiency_is_the_speed_over_the_sum_of_the_cards_also_where_they_wait() -> None:
    speed = predict_speed(_host(cpu={"cores": 6})).of(Network.CNN)
    alone = [card.rate.expected for card in speed.cards if card.rate]
    assert speed.efficiency.expected == pytest.approx(speed.rate.expected / sum(alone), rel=0.01)


def test_one_fast_card_waits_for_two_cores_as_well() -> None:
    assert _rate(_host(slots=(1,), cpu={"cores": 2}), Network.CNN).expected == 500


@pytest.mark.parametrize(
    ("figures", "by"),
    [
        ({"cpu": {"cores": 96}}, None),
        ({"cpu": {"cores": None}}, None),
        ({"storage": {"kind": "hdd"}, "ram": {"module_gb": 8}, "cpu": {"cores": 96}}, Feed.DRIVE),
        ({"storage": {"kind": "hdd"}, "ram": {"module_gb": 32}, "cpu": {"cores": 96}}, None),
        ({"storage": {"kind": "nvme"}, "ram": {"module_gb": 8}, "cpu": {"cores": 96}}, None),
        ({"storage": {"kind": None}, "ram": {"module_gb": 8}, "cpu": {"cores": 96}}, None),
        ({"storage": {"kind": "hdd"}, "ram": {"module_gb": None}, "cpu": {"cores": 96}}, None),
    ],
    ids=["cores", "no figure", "disk", "disk in RAM", "NVMe", "unknown drive", "unknown RAM"],
)
def test_a_drive_counts_while_the_images_are_not_in_ram_and_what_is_unknown_limits_nothing(
    figures: dict[str, dict[str, Any]], by: Feed | None
) -> None:
    starved = predict_speed(_host(**figures)).of(Network.CNN).starved
    assert (starved.by if starved else None) is by
    if by is not None and starved is not None:
        assert "64 GB RAM does not hold the images" in starved.words


def test_gradients_through_host_memory_get_what_its_channels_carry() -> None:
    one: dict[str, dict[str, Any]] = {"motherboard": {"cpu_sockets": 1}}
    two, eight = (predict_speed(_host(modules=count, **one)).of(Network.TRANSFORMER) for count in (2, 8))
    assert two.rate.expected < eight.rate.expected
    assert two.rate.low < eight.rate.low
    assert two.rate.high <= eight.rate.high
    assert any("RAM of 51 GB/s on 2 of 8 memory channels" in reason for reason in two.reasons)


def test_cards_that_reach_each_other_do_not_ask_for_host_memory() -> None:
    two, eight = (_rate(_host(gpu(), modules=count), Network.TRANSFORMER) for count in (2, 8))
    assert two == eight


def test_an_unknown_clock_of_the_modules_limits_nothing() -> None:
    unknown = _host(modules=2, ram={"speed_mts": None})
    assert host_of(unknown).ram_gbps is None
    assert _rate(unknown, Network.TRANSFORMER).expected >= _rate(_host(modules=8), Network.TRANSFORMER).expected


@pytest.mark.parametrize(
    ("board", "cpu", "cpus", "channels"),
    [
        (8, 8, 1, 8),
        (8, 4, 1, 4),
        (16, 8, 1, 8),
        (16, 8, 2, 16),
        (8, None, 1, 8),
        (None, 8, 1, 8),
        (None, None, 1, None),
    ],
)
def test_channels_are_those_that_board_and_cpus_have_both(
    board: int | None, cpu: int | None, cpus: int, channels: int | None
) -> None:
    sockets = 2 if board == 16 else 1
    build = with_line(_host(), part("motherboard", ram_channels=board, cpu_sockets=sockets))
    build = with_line(build, part("cpu", ram_channels=cpu), cpus)
    assert channels_of(build) == channels
    if board is not None:
        [finding] = [finding for finding in check(with_line(build, part("ram"), 1)) if finding.rule == "ram-channels"]
        assert finding.limit == channels


CARDS = (CONSUMER, gpu(), gpu(product="Radeon Test", compute_capability=None))
HOSTS = st.fixed_dictionaries(
    {
        "cores": st.integers(1, 96),
        "mhz": st.sampled_from([None, 1800.0, 3000.0, 5000.0]),
        "channels": st.integers(1, 12),
        "modules": st.integers(1, 12),
        "mts": st.sampled_from([2133.0, 3200.0, 6400.0]),
        "module_gb": st.sampled_from([4.0, 16.0, 64.0]),
    }
)


def _build(card: Part, count: int, drive: str, host: dict[str, Any]) -> Build:
    return _host(
        card,
        SLOTS[:count],
        host["modules"],
        cpu={"cores": host["cores"], "boost_clock_mhz": host["mhz"], "ram_channels": host["channels"]},
        motherboard={"ram_channels": host["channels"]},
        ram={"module_gb": host["module_gb"], "speed_mts": host["mts"]},
        storage={"kind": drive},
    )


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(CARDS),
    st.integers(1, 7),
    st.sampled_from(["hdd", "sata_ssd", "nvme"]),
    HOSTS,
    st.sampled_from(["cores", "channels", "modules", "module_gb", "mts"]),
)
def test_more_cores_channels_or_ram_never_make_a_prediction_slower(
    card: Part, count: int, drive: str, host: dict[str, Any], grows: str
) -> None:
    hosts = [host | {grows: host[grows] * times} for times in (1, 2, 4)]
    speeds = [predict_speed(_build(card, count, drive, one)) for one in hosts]
    for less, more in pairwise(speeds):
        for network in Network:
            before, after = less.of(network).rate, more.of(network).rate
            assert before.low <= after.low * 1.000001
            assert before.expected <= after.expected * 1.000001
            assert before.high <= after.high * 1.000001


def test_a_drive_and_cores_limit_together_by_the_less_of_each_end() -> None:
    both = _host(storage={"kind": "sata_ssd"}, ram={"module_gb": 8}, cpu={"cores": 17})
    starved = predict_speed(both).of(Network.CNN).starved
    assert starved.fed[:2] == pytest.approx((17 * 120, 17 * 250))


def test_a_build_without_cpu_and_ram_is_limited_by_nothing() -> None:
    bare = machine(CONSUMER, SLOTS)
    bare = bare.with_lines(
        tuple(line for line in bare.lines if line.part.category in (Category.GPU, Category.MOTHERBOARD))
    )
    host = host_of(bare)
    assert (host.cores, host.decoded, host.ram_gbps, host.files) == (None, None, None, None)
    assert predict_speed(bare).of(Network.CNN).starved is None
