"""Bad thermal paste shows beside its peers in the first seconds of a load, wherever the cards sit."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from core.build.build import Build, Line
from core.burnin.record.rows import Outcome
from core.burnin.record.samples import COLUMN, Samples
from core.burnin.verdict.paste import paste_reasons, rise_k_per_w
from core.parts.shipped import CATALOGUE, parts_of
from core.telemetry.device import Device
from core.telemetry.simulated.simulation import Simulation, parse_simulation
from core.telemetry.simulated.source import SimulatedSource


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
    samples: dict[str, Samples] = {id_: np.array(kept) for id_, kept in rows.items()}
    return SimpleNamespace(burned=devices, samples=samples, plan=None), devices


@pytest.mark.parametrize("cards", ["4x3090", "6x4090", "4x5090", "3xh100", "8xa100"])
def test_the_card_with_bad_paste_stands_out_and_its_peers_pass(cards: str) -> None:
    run, devices = recorded(f"{cards},fault=paste@1")
    found = {device.index: list(paste_reasons(run, device)) for device in devices}
    [reason] = found.pop(1)
    assert reason.outcome is Outcome.WARN
    assert reason.text.endswith("unless its cooler differs from theirs.")
    assert reason.measured is not None
    assert reason.limit is not None
    assert reason.measured > reason.limit
    assert not any(found.values())


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
