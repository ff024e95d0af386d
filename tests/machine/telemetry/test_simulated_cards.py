"""Simulated cards behave like real ones and are never taken for them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.machine.telemetry.device import DeviceKind
from core.machine.telemetry.metrics import LOAD_METRICS, METRICS
from core.machine.telemetry.plausible import plausible
from core.machine.telemetry.simulated.card import MODELS, MOST_LOAD, Model
from core.machine.telemetry.simulated.simulation import ROOM_C, Simulation
from core.machine.telemetry.simulated.source import SimulatedSource
from core.words import into

LONG_S = 900.0
models = st.sampled_from(MODELS)
loads = st.floats(0, 1)
slow = settings(max_examples=12, deadline=None)


def settled(chosen: list[Model], load_of: list[float], *, ambient_c: float = ROOM_C) -> SimulatedSource:
    source = SimulatedSource(Simulation(tuple(chosen), room_c=ambient_c), clock=None)
    for device_id, load in zip(source.cards, load_of, strict=True):
        source.set_activity(device_id, load)
    source.advance(LONG_S)
    return source


def test_every_card_is_marked_as_simulated() -> None:
    devices = SimulatedSource(Simulation(MODELS)).devices()
    assert all(device.simulated and "(SIMULATED)" in device.title for device in devices)
    assert all("(SIMULIERT)" in into(device.title, "de") for device in devices)
    assert [device.id for device in devices][:2] == ["SIM-0-titan-x", "SIM-1-rtx-3090"]
    assert len({device.title for device in devices}) == len(devices)


def test_the_limits_of_each_model_stand_in_their_order() -> None:
    for model in MODELS:
        assert model.holds_at_c < model.max_c < model.slowdown_c < model.shutdown_c, model.key
        assert model.idle_w < model.power_limit_w


@slow
@given(st.lists(models, min_size=1, max_size=6), st.data())
def test_more_load_is_never_cooler(chosen: list[Model], data: st.DataObject) -> None:
    load_of = data.draw(st.lists(loads, min_size=len(chosen), max_size=len(chosen)))
    place = data.draw(st.integers(0, len(chosen) - 1))
    more = [*load_of]
    more[place] = data.draw(st.floats(load_of[place], 1))
    before, after = settled(chosen, load_of), settled(chosen, more)
    for cooler, hotter in zip(before.cards.values(), after.cards.values(), strict=True):
        assert hotter.core_c >= cooler.core_c - 0.01


@slow
@given(st.lists(models, min_size=1, max_size=8), st.floats(5, 50), st.data())
def test_a_card_never_reaches_shutdown_because_it_throttles(
    chosen: list[Model], ambient_c: float, data: st.DataObject
) -> None:
    source = SimulatedSource(Simulation(tuple(chosen), room_c=ambient_c), clock=None)
    for _ in range(3):
        for device_id in source.cards:
            source.set_activity(device_id, data.draw(loads))
        source.advance(200)
        for card in source.cards.values():
            assert card.core_c < card.model.shutdown_c
            assert card.power_w <= card.model.power_limit_w


@slow
@given(st.lists(models, min_size=1, max_size=3), st.integers(0, 9), st.lists(loads, min_size=3, max_size=3))
def test_equal_seeds_and_activities_give_equal_readings(chosen: list[Model], seed: int, load_of: list[float]) -> None:
    def readings() -> list[object]:
        source = SimulatedSource(Simulation(tuple(chosen), seed=seed), clock=None)
        seen: list[object] = []
        for device_id, load in zip(source.cards, load_of, strict=False):
            source.set_activity(device_id, load)
            source.advance(30)
            seen.append(source.read())
        return seen

    assert readings() == readings()


def test_other_seeds_give_other_noise() -> None:
    one, other = (SimulatedSource(Simulation((MODELS[1],), seed=seed), clock=None).read() for seed in (1, 2))
    assert one != other


@slow
@given(st.lists(models, min_size=1, max_size=4), st.floats(0, 45), loads, st.floats(0, 300))
def test_every_reading_could_be_true(chosen: list[Model], ambient_c: float, load: float, seconds: float) -> None:
    source = SimulatedSource(Simulation(tuple(chosen), room_c=ambient_c), clock=None)
    for device_id in source.cards:
        source.set_activity(device_id, load)
    source.advance(seconds)
    for sample in source.read().values():
        assert set(sample) <= {metric.name for metric in METRICS if DeviceKind.GPU in metric.of} - set(LOAD_METRICS)
        assert all(plausible(name, value) == value for name, value in sample.items())


def test_a_lone_card_under_load_looks_like_one_in_an_open_case() -> None:
    for model in MODELS:
        card = next(iter(settled([model], [1.0]).cards.values()))
        assert 58 <= card.core_c <= 85, model.key
        assert card.power_w == pytest.approx(model.power_limit_w * min(model.full_load, 1.0), rel=0.02)
        assert card.throttle_mask == (0x4 if model.full_load > 1 else 0), model.key
        beside_memory = next(iter(settled([model], [1.1]).cards.values()))
        assert beside_memory.power_w == pytest.approx(model.power_limit_w, rel=0.02)
        assert beside_memory.throttle_mask == 0x4, model.key


def test_the_middle_of_six_cards_is_hotter_than_the_edge() -> None:
    cards = list(settled([MODELS[1]] * 6, [1.0] * 6).cards.values())
    assert cards[2].core_c > cards[0].core_c + 2
    assert cards[2].fan_pct > cards[0].fan_pct


def test_it_takes_minutes_to_warm_up() -> None:
    source = SimulatedSource(Simulation((MODELS[1],)), clock=None)
    (card,) = source.cards.values()
    cold = card.core_c
    source.set_activity("SIM-0-rtx-3090", 1.0)
    source.advance(10)
    after_seconds = card.core_c
    source.advance(LONG_S)
    assert cold + 5 < after_seconds < cold + 0.6 * (card.core_c - cold)


def test_a_hot_room_makes_a_card_throttle_at_its_target_with_lower_clocks() -> None:
    cool, hot = (settled([MODELS[1]], [1.0], ambient_c=ambient).cards["SIM-0-rtx-3090"] for ambient in (24, 48))
    assert hot.throttle_mask & 0x20
    assert hot.core_c == pytest.approx(hot.model.target_c or 0, abs=2)
    assert hot.clock_mhz < cool.clock_mhz


def test_an_oven_makes_the_hardware_slow_down() -> None:
    card = settled([MODELS[1]], [1.0], ambient_c=96).cards["SIM-0-rtx-3090"]
    assert card.throttle_mask & 0x48 == 0x48


def test_an_idle_card_rests() -> None:
    sample = settled([MODELS[1]], [0.0]).read()["SIM-0-rtx-3090"]
    assert (sample["utilisation_pct"], sample["throttle_mask"], sample["pcie_generation"]) == (0, 0x1, 1)
    assert sample["power_w"] == pytest.approx(25, rel=0.05)


def test_activity_of_an_unknown_device_or_beyond_its_range_does_no_harm() -> None:
    source = SimulatedSource(Simulation((MODELS[1],)), clock=None)
    source.set_activity("GPU-unknown", 1.0)
    source.set_activity("SIM-0-rtx-3090", 7.0)
    assert source.cards["SIM-0-rtx-3090"].load == MOST_LOAD
    source.advance(5)
    assert source.read()["SIM-0-rtx-3090"]["utilisation_pct"] == 100


def test_time_is_the_clocks_and_a_machine_that_slept_does_not_stall_it() -> None:
    now = [0.0]
    source = SimulatedSource(Simulation((MODELS[1],)), clock=lambda: now[0])
    source.set_activity("SIM-0-rtx-3090", 1.0)
    first = source.read()["SIM-0-rtx-3090"]["temperature_c"]
    now[0] += 30
    second = source.read()["SIM-0-rtx-3090"]["temperature_c"]
    now[0] += 1e9
    third = source.read()["SIM-0-rtx-3090"]["temperature_c"]
    assert first is not None
    assert second is not None
    assert third is not None
    assert first < second < third


def test_energy_is_power_over_time_and_time_at_the_limit_is_counted() -> None:
    source = settled([MODELS[1]], [1.0])
    before = source.read()["SIM-0-rtx-3090"]
    source.advance(10)
    after = source.read()["SIM-0-rtx-3090"]
    grown = {name: (after[name] or 0) - (before[name] or 0) for name in ("energy_j", "throttle_power_cap_s")}
    assert grown["energy_j"] == pytest.approx(3500, rel=0.02)
    assert grown["throttle_power_cap_s"] == pytest.approx(10, abs=0.3)
    assert (after["throttle_hw_thermal_s"], after["throttle_power_brake_s"]) == (0, 0)


def test_the_air_of_the_case_warms_up_more_slowly_than_the_cards() -> None:
    source = SimulatedSource(Simulation((MODELS[1],) * 4), clock=None)
    for device_id in source.cards:
        source.set_activity(device_id, 1.0)
    inlets = []
    for _ in range(3):
        source.advance(60)
        inlets.append(source._inlets_c[0])
    source.advance(LONG_S)
    assert inlets == sorted(inlets)
    assert inlets[0] - ROOM_C < 0.6 * (source._inlets_c[0] - ROOM_C)


def test_memory_that_tells_its_temperature_is_hotter_than_its_core_under_load() -> None:
    idle, busy = (settled([MODELS[5]], [load]).cards["SIM-0-a100"] for load in (0.0, 1.0))
    assert busy.memory_c - busy.core_c == pytest.approx(4, abs=0.5)
    assert idle.memory_c - idle.core_c < 1
