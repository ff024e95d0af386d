"""What loads, guards and sensors find stays a message: whole through a record, and said in any language."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.burnin.guards.device import FanGuard, TemperatureGuard
from core.burnin.profile.profile import COUNTER_LIMITS, Guards
from core.burnin.stages.watching import StageFindings
from core.loads.findings import Findings, SelfTest, TriedFault
from core.loads.loop import cause_of
from core.loads.products.verify import ResultDifference
from core.loads.training.judging import Curve
from core.machine.asbuilt.binding import BOUND_BY
from core.machine.telemetry.device import Device
from core.machine.telemetry.simulated.card import find_model
from core.machine.telemetry.simulated.source import describe
from core.machine.telemetry.xid import xid
from core.words import Message, from_json, into, spoken, to_json


def _load(*, injected: bool) -> str:
    findings = Findings()
    if injected:
        findings.drill.strike("element 3")
    findings.wrong(str(ResultDifference(2, 0, row=1, column=3, got=float("nan"), expected=1.5)))
    findings.wrong("again")
    return findings.sentence


def _blind() -> str | None:
    selftest = SelfTest()
    selftest.note(TriedFault.BIT_FLIP, seen=False, where="products")
    selftest.note(TriedFault.NAN, seen=False)
    return selftest.blind


def _hot() -> str | None:
    guard = TemperatureGuard(_card(), Guards(temperature_c=80, temperature_for_s=5))
    guard.breach(0.0, {"temperature_c": 95.0})
    return guard.breach(30.0, {"temperature_c": 95.0})


def _stands() -> str | None:
    guard = FanGuard(Guards(fan_for_s=5))
    guard.breach(0.0, {"fan_rpm": 1500.0, "fan_pct": 60.0})
    guard.breach(1.0, {"fan_rpm": 0.0, "fan_pct": 60.0})
    return guard.breach(60.0, {"fan_rpm": 0.0, "fan_pct": 60.0})


def _trained() -> str:
    curve = Curve()
    for step in range(1, 40):
        curve.add(step, 2.0 / step)
    return str(curve)


def _card() -> Device:
    model = find_model("3090")
    assert model is not None
    return describe(0, model)


SAID: dict[str, Callable[[], str | None]] = {
    "wrong results": lambda: _load(injected=False),
    "wrong results on purpose": lambda: _load(injected=True),
    "a blind check": _blind,
    "heat": _hot,
    "a fan": _stands,
    "a curve": _trained,
    "an Xid": lambda: xid(79).sentence,
    "short memory": lambda: cause_of(RuntimeError("CUDA out of memory")).sentence,
    "two failures": lambda: StageFindings(failures=[xid(79).sentence, xid(48).sentence]).result("")[1],
}


@pytest.mark.parametrize("name", SAID)
def test_what_is_found_is_said_in_another_language(name: str) -> None:
    message = SAID[name]()
    assert isinstance(message, Message)
    assert "⟦" in message.into("pseudo")
    assert from_json(to_json(message)) == message
    again = from_json(to_json(message))
    assert isinstance(again, Message)
    assert again.into("pseudo") == message.into("pseudo")


def test_facts_of_a_device_have_names_in_the_language_that_is_spoken() -> None:
    device = _card()
    with spoken("pseudo"):
        assert "⟦compute mode⟧" in device.facts
    assert "compute mode" in device.facts


def test_criteria_keep_their_words_in_english() -> None:
    """They are recorded with the run."""
    with spoken("pseudo"):
        limits = [limit.model_validate(limit.model_dump()) for limit in COUNTER_LIMITS]
    assert all(type(limit.says) is str and "⟦" not in limit.says for limit in limits)


def test_how_a_slot_is_known_has_words_for_each_way() -> None:
    assert into(BOUND_BY["set by the user"], "pseudo") == "⟦set by the user⟧"
