"""Bad thermal paste shows beside its peers in the first seconds of a load, wherever the cards sit."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from core.burnin.record.rows import Outcome
from core.burnin.record.samples import COLUMN, Samples
from core.burnin.verdict.heat import paste_reasons, rise_k_per_w
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.simulated.simulation import Simulation, parse_simulation
from core.machine.telemetry.simulated.source import SimulatedSource
from core.parts.compute import GpuSpec
from core.parts.shipped import CATALOGUE, parts_of
from core.plan.build import Build
from core.plan.line import Line
from tests.burnin.made_run import figures, run_of, sampled, twin


def recorded(words: str, *, load_s: int = 40, rest_s: int = 20) -> tuple[Any, list[Device]]:
    """Rest, load, rest and load again, sampled once a second."""
    whole = load_s + rest_s
    return recorded_while(words, 2 * whole, lambda second, _: second % whole >= rest_s)


def recorded_while(words: str, seconds: int, loaded: Callable[[int, Device], float]) -> tuple[Any, list[Device]]:
    """Sampled once a second, each device loaded when it is said to be."""
    order = parse_simulation(words)
    assert isinstance(order, Simulation)
    source = SimulatedSource(order, clock=None)
    devices = source.devices()
    rows: dict[str, list[np.ndarray]] = {device.id: [] for device in devices}
    for second in range(seconds):
        for device in devices:
            source.set_activity(device.id, float(loaded(second, device)))
        source.advance(1.0)
        for id_, reading in source.read().items():
            row = np.full(1 + max(COLUMN.values()), np.nan)
            row[0] = second
            for name in ("power_w", "temperature_c"):
                value = reading[name]
                row[COLUMN[name]] = np.nan if value is None else value
            rows[id_].append(row)
    samples: dict[str, Samples] = {id_: np.array(values) for id_, values in rows.items()}
    return SimpleNamespace(burned=devices, samples=samples, plan=None), devices


@pytest.mark.parametrize("cards", ["4x3090", "6x4090", "4x5090", "3xh100", "8xa100"])
def test_the_card_with_bad_paste_stands_out_and_its_peers_pass(cards: str) -> None:
    run, devices = recorded(f"{cards},fault=paste@1")
    by_index = {device.index: list(paste_reasons(run, device)) for device in devices}
    [reason] = by_index.pop(1)
    assert reason.outcome is Outcome.WARN
    assert reason.text.endswith("unless its cooler differs from theirs.")
    assert reason.measured is not None
    assert reason.limit is not None
    assert reason.measured > reason.limit
    assert not any(by_index.values())


def plan_of(*titles: str) -> Build:
    """Four RTX 4090 of these makers."""
    files = (CATALOGUE / "gpu").glob("*4090*.toml")
    gpus = [part for path in files for part in parts_of(path) if part.title in titles]
    assert len(gpus) == len(titles)
    return Build(lines=tuple(Line(part, 4 // len(gpus)) for part in gpus))


@pytest.mark.parametrize(
    ("titles", "outcome"),
    [
        (("Manli GeForce RTX 4090 Blower",), Outcome.FAIL),
        (("Manli GeForce RTX 4090 Blower", "NVIDIA GeForce RTX 4090 Founders Edition"), Outcome.WARN),
    ],
)
def test_it_fails_only_where_the_plan_has_all_of_them_with_one_cooler(
    titles: tuple[str, ...], outcome: Outcome
) -> None:
    run, devices = recorded("4x4090,fault=paste@1")
    run.plan = plan_of(*titles)
    [reason] = paste_reasons(run, devices[1])
    assert reason.outcome is outcome


@pytest.mark.parametrize("cards", ["4x3090", "8xh100", "6x4090,room=35", "4x3090,fault=fan@2", "3xtitan-x,seed=9"])
def test_sound_cards_agree_and_a_fan_that_stands_is_no_paste(cards: str) -> None:
    run, devices = recorded(cards)
    assert not any(list(paste_reasons(run, device)) for device in devices)


def test_a_moment_of_rest_between_two_loads_is_no_load_from_rest() -> None:
    """Some cards rested for a moment between two stages: still warm, they rise less from there."""

    def loaded(second: int, device: Device) -> bool:
        return second >= 20 and not (second in (60, 80) and device.index > 0)

    run, devices = recorded_while("4x4090", 100, loaded)
    assert not any(list(paste_reasons(run, device)) for device in devices)


def test_a_moment_of_rest_after_a_light_load_is_no_load_from_rest() -> None:
    """The transfers of one card went on until the next load began; its peers rested for a second."""

    def loaded(second: int, device: Device) -> float:
        if second < 20:
            return 0.0
        if second < 22:
            return 1.0
        return 0.25 if second < 80 + (device.index == 0) else 0.6 * (second > 80)

    run, devices = recorded_while("4xtitan-x,fault=paste@all", 120, loaded)
    assert not any(list(paste_reasons(run, device)) for device in devices)


def test_two_cards_cannot_tell_which_of_them_is_usual() -> None:
    run, devices = recorded("2x3090,fault=paste@1")
    assert not any(list(paste_reasons(run, device)) for device in devices)


def test_without_a_load_from_rest_nothing_is_known() -> None:
    run, devices = recorded("1x3090", load_s=3)
    assert rise_k_per_w(run.samples[devices[0].id]) is None
    run, devices = recorded("1x3090", rest_s=0)
    assert rise_k_per_w(run.samples[devices[0].id]) is None


REST_W, LOAD_W = 64.0, 320.0
"""At rest below 112 W, under load above 192 W; 256 W between the two."""


def warmed(kelvin: float, **changed: dict[float, float]) -> Samples:
    """Rest from 0 to 20 s, a load from then on that warms the chip by so much at once. Twice a second, or where
    `power_w` and `temperature_c` by time say otherwise."""
    times = np.array(sorted({*np.arange(0.0, 40.5, 0.5), *(at for one in changed.values() for at in one)}))
    power = np.where(times <= 20.0, REST_W, LOAD_W)
    temperature = np.where(times <= 20.0, 40.0, 40.0 + kelvin)
    for values, name in ((power, "power_w"), (temperature, "temperature_c")):
        for at, value in changed.get(name, {}).items():
            values[times == at] = value
    return sampled(times, power_w=power, temperature_c=temperature)


def rise_of(**changed: dict[float, float]) -> float | None:
    """In K, of a card that warms by 16."""
    rise = rise_k_per_w(warmed(16.0, **changed))
    return None if rise is None else 256 * rise


@pytest.mark.parametrize(("at_s", "kelvin"), [(24.9, 16.0), (25.0, 30.0), (27.0, 30.0), (29.0, 30.0), (29.1, 16.0)])
def test_the_chip_is_read_from_five_to_nine_seconds_after_the_load_began(at_s: float, kelvin: float) -> None:
    assert rise_of(temperature_c={at_s: 70.0}) == kelvin


@pytest.mark.parametrize(
    ("changed", "kelvin"),
    [
        ({"power_w": {21.5: 190.0}}, 16.0),
        ({"power_w": {21.6: 192.0}}, None),
        ({"power_w": {29.0: 192.0}}, None),
        ({"power_w": {29.1: 192.0}}, 16.0),
        ({"power_w": {20.0: 111.0}}, None),
        ({"power_w": {20.0: 96.0}}, 16.0 * 256 / 224),
        ({"power_w": {11.9: 112.0}}, 16.0),
        ({"power_w": {12.0: 112.0}}, None),
        ({"power_w": {11.5: 112.0}}, 16.0),
        ({"power_w": {12.5: 97.0}}, None),
        ({"power_w": {12.0: 96.0}}, 16.0),
        ({"power_w": {12.0: 97.0}}, None),
        ({"power_w": {11.9: 97.0}}, 16.0),
        ({"temperature_c": {20.0: np.nan}}, None),
        ({"temperature_c": {27.0: np.nan}}, 16.0),
    ],
)
def test_a_load_counts_that_began_from_a_steady_rest_and_lasted(
    changed: dict[str, dict[float, float]], kelvin: float | None
) -> None:
    rise = rise_of(**changed)
    assert rise == (kelvin if kelvin is None else pytest.approx(kelvin))


@pytest.mark.parametrize(("watts", "rested"), [(111.0, True), (112.0, False)])
def test_rest_is_below_a_share_of_the_highest_power(watts: float, rested: bool) -> None:
    samples = warmed(16.0)
    samples[samples[:, 0] <= 20.0, COLUMN["power_w"]] = watts
    assert (rise_k_per_w(samples) is not None) is rested


def test_of_several_loads_the_middle_one_counts_and_what_was_not_measured_tells_nothing() -> None:
    one, two, three = (warmed(kelvin) for kelvin in (16.0, 32.0, 20.0))
    two[:, 0] += 41.0
    three[:, 0] += 82.0
    assert rise_k_per_w(np.concatenate([one, two, three])) == 20.0 / 256
    assert rise_k_per_w(np.concatenate([one, two[two[:, 0] > 56.0]])) == 16.0 / 256, "a short rest before the second"
    assert rise_k_per_w(sampled([0.0, 1.0])) is None
    assert rise_k_per_w(one[one[:, 0] <= 20.0]) is None, "at rest to the end"
    assert rise_k_per_w(one[one[:, 0] <= 24.0]) is None, "it ended before the chip was warm"


def judged(own: float | None, *twins: float | None, plan: Build | None = None, **other: Any) -> Any:
    """Of cards that warm by so many K for 256 W; None of those without such a load."""
    cards = [twin(number, **(other if number == 0 else {})) for number in range(1 + len(twins))]
    blocks = {
        card.id: sampled([0.0]) if kelvin is None else warmed(kelvin)
        for card, kelvin in zip(cards, (own, *twins), strict=True)
    }
    return list(paste_reasons(run_of(samples=blocks, devices=cards, plan=plan), cards[0]))


ONE_KIND = SimpleNamespace(gpus=lambda: [(None, GpuSpec(product="GeForce RTX 3090"))])


@pytest.mark.parametrize(
    ("own", "twins", "outcome", "limit"),
    [
        (25.9, (20.0, 20.0), None, None),
        (26.0, (20.0, 20.0), Outcome.WARN, 32.5),
        (31.9, (20.0, 20.0), Outcome.WARN, 32.5),
        (32.0, (20.0, 20.0), Outcome.FAIL, 40.0),
        (26.0, (16.0, 20.0, 99.0), Outcome.WARN, 32.5),
        (14.0, (10.0, 10.0), Outcome.WARN, 16.2),
        (13.9, (10.0, 10.0), None, None),
        (4.0, (0.0, 0.0), Outcome.FAIL, 0.0),
        (26.0, (20.0,), None, None),
        (26.0, (20.0, None), None, None),
        (26.0, (20.0, None, 20.0), Outcome.WARN, 32.5),
        (None, (20.0, 20.0), None, None),
    ],
)
def test_a_rise_is_held_to_the_middle_of_at_least_two_peers(
    own: float | None, twins: tuple[float | None, ...], outcome: Outcome | None, limit: float | None
) -> None:
    plan: Any = ONE_KIND
    reasons = judged(own, *twins, plan=plan)
    assert figures(reasons) == ([] if outcome is None or own is None else [(outcome, round(1.25 * own, 1), limit, "K")])
    without_a_plan = judged(own, *twins)
    assert [one.outcome for one in without_a_plan] == [Outcome.WARN] * len(reasons)
    for one in (*reasons, *without_a_plan):
        assert one.source == "the median of the other cards of its model"


def test_its_words_tell_both_rises_and_leave_the_cooler_open_where_the_plan_does_not_tell() -> None:
    plan: Any = ONE_KIND
    words = (
        "It warms 40 K in the first seconds of a load, other cards of its model 25 K: thermal paste or cooler contact"
    )
    assert [one.text for one in judged(32.0, 20.0, 20.0, plan=plan)] == [f"{words}."]
    assert [one.text for one in judged(32.0, 20.0, 20.0)] == [f"{words}, unless its cooler differs from theirs."]
    [unknown] = judged(32.0, 20.0, 20.0)
    assert figures([unknown]) == [(Outcome.WARN, 40.0, 32.5, "K")]


@pytest.mark.parametrize(
    "other",
    [{"name": "NVIDIA RTX A6000"}, {"parent": "GPU-9"}, {"kind": DeviceKind.CPU}],
    ids=["model", "share", "cpu"],
)
def test_only_whole_gpus_of_one_model_are_peers(other: dict[str, Any]) -> None:
    assert judged(32.0, 20.0, 20.0, **other) == []
