"""Every template burned in as planned passes, and each scripted fault is told on its card alone.

`make test` takes a few of them, `make soak` all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from core.burnin.record.rows import MACHINE, Outcome, Verdict
from core.burnin.run.order import BurnOrder
from core.burnin.simulated_plan import with_plan
from core.machine.telemetry.simulated.simulation import FAULT_KINDS, Simulation, parse_simulation
from core.plan.file import dump_build
from tests.burnin.fast_run import PowerCut, burned
from tests.burnin.processes import profile_in
from tests.shipped import templates

UNSOUND = "six-rtx-3090-first-attempt"
"""Its plan predicts that heat takes half of the power from some cards: such a machine is not accepted."""
SOUND = [template for template in templates() if template != UNSOUND]
STAGES = (("preflight", 5, {}), ("idle", 90, {}), ("gemm", 90, {}), ("host-link", 30, {}), ("transformer", 240, {}),
          ("cooldown", 60, {}))  # fmt: skip
"""Every kind of strain, for minutes."""
UNDER_LOAD = ":150s"


@dataclass(frozen=True, slots=True)
class Case:
    """A fault by its word, and what the verdict on its card must be: one of these."""

    word: str
    outcomes: tuple[Outcome, ...] = (Outcome.FAIL,)
    at: str = UNDER_LOAD
    peers: int = 0
    """So many it takes to be seen."""
    has: Callable[[Simulation], bool] = lambda _: True
    """Whether these cards can have it."""


CASES = {
    case.word: case
    for case in (
        *map(Case, ("ecc", "lost", "xid79", "xid13", "xid94", "brake", "throttle", "frozen")),
        *(Case(word, (Outcome.WARN,)) for word in ("xid63", "corrected", "aer")),
        Case("slow30", at="", peers=1),
        Case("paste", at="", peers=2),
        Case("fan", at="", has=lambda cards: all(model.fans for model in cards.models)),
        Case("link4", (Outcome.WARN, Outcome.FAIL), at=""),
    )
}
WHOLE = ("hang", "psu")
"""These take the whole machine."""
SAMPLE = [
    *(("digits-devbox", word) for word in ("xid79", "paste", "frozen")),
    *(("quiet-desk-two-cards", word) for word in ("ecc", "fan", "link4")),
    *(("eight-h200-hgx", word) for word in ("slow30", "corrected", "throttle")),
]


@cache
def simulated(template: str, script: str) -> str:
    source = with_plan(f"plan,{script}" if script else "plan", templates()[template])
    assert source is not None
    return source


def cards_of(template: str) -> Simulation:
    cards = parse_simulation(simulated(template, ""))
    assert isinstance(cards, Simulation)
    return cards


def verdicts(folder: Path, template: str, script: str = "") -> dict[str, Verdict]:
    profile, build = profile_in(folder, *STAGES), dump_build(templates()[template])
    return burned(folder, BurnOrder(profile=profile, simulate=simulated(template, script), build=build))


def alarms(by_device: dict[str, Verdict], *, but: str = "SIM-none-") -> list[str]:
    """What is said of devices, without that which is told of this one."""
    return [
        f"{id_}: {reason.text}"
        for id_, verdict in by_device.items()
        for reason in verdict.reasons
        if id_ != MACHINE and not id_.startswith(but) and reason.outcome is not Outcome.PASS
    ]


def check_fault(folder: Path, template: str, word: str) -> None:
    """The fault is made on the last card."""
    case, cards = CASES[word], cards_of(template)
    place = len(cards.models) - 1
    if place < case.peers or not case.has(cards):
        pytest.skip(f"NOT RUN: {word} needs {case.peers} peers, or what these cards do not have")
    by_device = verdicts(folder, template, f"fault={word}@{place}{case.at}")
    [verdict] = [one for id_, one in by_device.items() if id_.startswith(f"SIM-{place}-")]
    assert verdict.outcome in case.outcomes, [reason.text for reason in verdict.reasons]
    assert alarms(by_device, but=f"SIM-{place}-") == []
    assert by_device[MACHINE].outcome is verdict.outcome


@pytest.mark.parametrize(("template", "word"), SAMPLE)
def test_a_fault_is_reported_on_its_card_alone(tmp_path: Path, template: str, word: str) -> None:
    check_fault(tmp_path, template, word)


def test_every_kind_of_fault_is_tried() -> None:
    tried = (*CASES, *WHOLE)
    assert [kind.word for kind in FAULT_KINDS if not any(word.startswith(kind.word) for word in tried)] == []


@pytest.mark.soak
@pytest.mark.parametrize("template", templates())
def test_every_sound_template_passes_the_standard_profile(tmp_path: Path, template: str) -> None:
    order = BurnOrder(profile="standard", simulate=simulated(template, ""), build=dump_build(templates()[template]))
    by_device = burned(tmp_path, order)
    if template == UNSOUND:
        assert by_device[MACHINE].outcome is Outcome.FAIL
    else:
        assert alarms(by_device) == []
        assert by_device[MACHINE].outcome is Outcome.PASS


@pytest.mark.soak
@pytest.mark.parametrize("word", CASES)
@pytest.mark.parametrize("template", SOUND)
def test_every_fault_of_every_template_is_reported_on_its_card_alone(tmp_path: Path, template: str, word: str) -> None:
    check_fault(tmp_path, template, word)


@pytest.mark.soak
@pytest.mark.parametrize("template", SOUND)
def test_a_driver_that_hangs_ends_every_run_and_names_its_card(tmp_path: Path, template: str) -> None:
    place = len(cards_of(template).models) - 1
    by_device = verdicts(tmp_path, template, f"fault=hang@{place}:100s")
    assert by_device[MACHINE].outcome is Outcome.INCOMPLETE
    assert f"simulated card SIM-{place}-" in by_device[MACHINE].reasons[0].text


@pytest.mark.soak
@pytest.mark.parametrize("template", SOUND)
def test_a_weak_psu_switches_off_under_the_load_of_all_cards(tmp_path: Path, template: str) -> None:
    with pytest.raises(PowerCut):
        verdicts(tmp_path, template, "fault=psu")
