"""Machines from real life and the shipped templates: those that work are not failed, the others are, for a reason.

A machine whose parts are all known says little that is empty: at most two open questions and four hints, mostly.
"""

import json
import tomllib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import mean, median
from typing import Any

import pytest

from core.parts.part import Part
from core.plan.build import Build
from core.plan.file import parse_build
from core.plan.placement.topology import pairs
from core.platform.paths import ASSETS
from core.predict.conditions import LoadCase
from core.predict.prediction import predict
from core.rules.engine import COMPLETE, check, summary
from core.rules.finding import SEVERITY, Finding, Status
from core.rules.registry import RULES
from tests.shipped import parts_by_id, templates

KNOWN = frozenset(rule.id for rule in RULES)

MOST_A_MACHINE = {Status.WARN: 0.85, Status.UNKNOWN: 1.84, Status.NOTE: 4.6}
"""What the machines that work may get on average: what is reached now, so that no change brings idle talk back."""
NOT_IDLE = (COMPLETE, "riser-length")
"""Rules that are not counted: what a source leaves out is missing in the build too, and rated Gen4 risers of 19 cm
warn although many work: others of the same length failed."""
FEW_FIGURES = (
    "rigs_that_run",
    "servers_that_ran",
    "strangers_that_run",
    "fresh_that_run",
    "lately_that_run",
    "boxes_and_modules",
)
"""Files of machines whose boards, cases, coolers and carriers the catalogue knows few figures of."""


@dataclass(frozen=True, slots=True)
class Machine:
    """One row of the table. `real_machines/README.md` says what the fields mean."""

    name: str
    works: bool
    source: dict[str, str]
    reason: str
    rule: str = ""
    status: str = "fail"
    about: tuple[str, ...] = ()
    waits: bool = False
    note: str = ""
    template: str = ""
    region: str = ""
    other_loads_w: tuple[float, ...] = ()
    lines: tuple[dict[str, Any], ...] = ()
    parts: dict[str, dict[str, Any]] = field(default_factory=dict)
    file: str = ""

    def build(self, parts: dict[str, Part]) -> Build:
        """The machine as a build file would give it."""
        stored: dict[str, Any] = {
            "format": "rigwright-build",
            "version": 2,
            "name": self.name,
            "lines": self.lines,
            "parts": self.own_parts(),
        }
        if self.template:
            path = ASSETS / "templates" / f"{self.template}.rig.json"
            shipped = json.loads(path.read_text(encoding="utf-8"))
            stored |= {"lines": shipped["lines"], "region": shipped["region"]}
        stored |= {"region": self.region} if self.region else {}
        stored |= {"other_loads_w": self.other_loads_w} if self.other_loads_w else {}
        return parse_build(json.dumps(stored), parts.get, self.name)

    def own_parts(self) -> dict[str, dict[str, Any]]:
        """Parts that no catalogue has, with the figures that the report tells of them."""
        return {
            name: {"id": name, "origin": "user", "sources": [self.source], **part} for name, part in self.parts.items()
        }


def _machines() -> tuple[Machine, ...]:
    files = sorted(Path(__file__).with_name("real_machines").glob("*.toml"))
    return tuple(
        Machine(**row, file=file.stem)
        for file in files
        for row in tomllib.loads(file.read_text(encoding="utf-8"))["machine"]
    )


MACHINES = _machines()


def findings_expected(machine: Machine, findings: tuple[Finding, ...]) -> list[Finding]:
    """What the machine's rule says of at least the wanted urgency, about all the wanted parts."""
    severity = SEVERITY[Status(machine.status)]
    return [
        finding
        for finding in findings
        if finding.rule == machine.rule
        and finding.status is not Status.UNKNOWN
        and SEVERITY[finding.status] <= severity
        and set(machine.about) <= set(finding.parts)
    ]


@pytest.fixture(scope="module")
def checked() -> dict[str, tuple[Finding, ...]]:
    return {machine.name: check(machine.build(parts_by_id())) for machine in MACHINES}


def test_a_machine_that_works_is_not_failed(checked: dict[str, tuple[Finding, ...]]) -> None:
    """A machine that waits is answered wrongly still; when that ends, its `waits` goes."""
    failed = {
        machine.name: [f"{one.rule}: {one.message}" for one in checked[machine.name] if one.status is Status.FAIL]
        for machine in MACHINES
        if machine.works
    }
    waiting = {machine.name for machine in MACHINES if machine.works and machine.waits}
    assert {name: findings for name, findings in failed.items() if bool(findings) is not (name in waiting)} == {}


def test_why_a_machine_does_not_work_is_reported(checked: dict[str, tuple[Finding, ...]]) -> None:
    wrong = {
        machine.name: [f"{f.status}: {f.message} {list(f.parts)}" for f in findings if f.rule == machine.rule]
        or f"no rule {machine.rule}"
        for machine, findings in ((one, checked[one.name]) for one in MACHINES if not one.works)
        if bool(findings_expected(machine, findings)) is machine.waits
    }
    assert wrong == {}


def test_machines_that_work_get_few_warnings_and_questions(checked: dict[str, tuple[Finding, ...]]) -> None:
    working = [machine for machine in MACHINES if machine.works]
    tally = Counter(
        finding.status for machine in working for finding in checked[machine.name] if finding.rule not in NOT_IDLE
    )
    average = {status: tally[status] / len(working) for status in MOST_A_MACHINE}
    assert {status: number for status, number in average.items() if number > MOST_A_MACHINE[status]} == {}


def test_the_table_has_its_machines_each_once() -> None:
    kinds = Counter(machine.works for machine in MACHINES)
    assert kinds[True] >= 199
    assert kinds[False] >= 241
    assert len({machine.name for machine in MACHINES}) == len(MACHINES)


def test_nineteen_of_twenty_reported_faults_are_found() -> None:
    faulty = [machine for machine in MACHINES if not machine.works]
    assert sum(machine.waits for machine in faulty) <= 0.05 * len(faulty)


def test_every_machine_states_reason_source_and_what_it_is_made_of() -> None:
    for machine in MACHINES:
        assert machine.reason.endswith("."), machine.name
        assert set(machine.source) == {"title", "url"}, machine.name
        assert machine.source["url"].startswith(("https://", "http://", "assets/templates/")), machine.name
        assert bool(machine.lines) is not bool(machine.template), machine.name
        assert machine.works is not bool(machine.rule and machine.about), machine.name
        assert machine.works or (machine.rule in KNOWN and machine.status in ("fail", "warn", "note")), machine.name


def test_cables_between_ports_are_no_spare_risers(checked: dict[str, tuple[Finding, ...]]) -> None:
    machine = next(one for one in MACHINES if one.name.startswith("eight RTX PRO 6000 behind two PCIe 5.0 switches"))
    finding = next(one for one in checked[machine.name] if one.rule == "riser-count")
    assert finding.status is Status.PASS


def test_the_first_attempt_fails_for_what_its_notes_say() -> None:
    findings = check(templates()["six-rtx-3090-first-attempt"])
    failed = {finding.rule for finding in findings if finding.status is Status.FAIL}
    warned = {finding.rule for finding in findings if finding.status is Status.WARN}
    assert {"slot-placed", "slot-overlap", "psu-power", "gpu-cables", "mains-circuit"} <= failed
    assert {"card-gap", "pcie-link", "psu-excursion", "cable-shared"} <= warned


def test_six_cards_side_by_side_are_held_back_but_psus_must_bear_their_limits() -> None:
    prediction = predict(templates()["six-rtx-3090-first-attempt"])
    assert [held.limit_w for held in prediction.throttled] == [350]
    assert 1200 <= prediction.wall_w[LoadCase.TRAINING].expected <= 2200
    assert 2300 <= prediction.limits.wall_w[LoadCase.TRAINING].expected <= 2700


def test_the_devbox_runs_on_an_ordinary_american_outlet() -> None:
    assert templates()["digits-devbox"].circuit.continuous_w == 1440
    assert not [
        f for f in check(templates()["digits-devbox"]) if f.rule == "mains-circuit" and f.status is not Status.PASS
    ]


def test_every_devbox_card_has_sixteen_lanes() -> None:
    links = [f for f in check(templates()["digits-devbox"]) if f.rule == "pcie-link"]
    assert [f.slots for f in links] == [(1, 3, 5, 7)]
    assert {f.status for f in links} == {Status.PASS}


def test_the_quiet_machine_is_quiet_in_training_and_the_blowers_of_the_devbox_are_not() -> None:
    quiet, devbox = predict(templates()["six-rtx-3090-quiet"]), predict(templates()["digits-devbox"])
    assert quiet.noise_load.expected <= 34
    assert quiet.noise_load.high <= 36
    assert devbox.noise_load.expected >= quiet.noise_load.expected + 10


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nvidia-dgx-1", "joins the 8 modules, a hybrid cube mesh"),
        ("nvidia-dgx-1v", "joins the 8 modules, a hybrid cube mesh"),
        ("nvidia-dgx-station", "Pairs of GPUs are NVLink"),
    ],
)
def test_the_nvlink_that_a_machine_brings_is_reported_as_nvlink(name: str, words: str) -> None:
    [p2p] = [finding for finding in check(templates()[name]) if finding.rule == "pcie-p2p"]
    assert p2p.status is Status.PASS
    assert words in p2p.message
    assert {pair.word for pair in pairs(templates()[name])} <= {"NV"}


QUESTIONS, HINTS = 2, 4
"""The aim for one machine."""


@cache
def builds() -> dict[str, Build]:
    """The templates, and the machines of the table that work, but for those of parts with few figures."""
    machines = (one for one in MACHINES if one.works and not one.template and one.file not in FEW_FIGURES)
    return templates() | {one.name: one.build(parts_by_id()) for one in machines}


@cache
def counts() -> dict[str, dict[Status, int]]:
    """What is missing altogether is no question about a figure."""
    answers = {name: check(build, predict(build)) for name, build in builds().items()}
    return {name: summary(one for one in findings if one.rule != COMPLETE) for name, findings in answers.items()}


def _all(status: Status) -> list[int]:
    return [count[status] for count in counts().values()]


def test_most_machines_ask_for_no_figure_and_hint_three_times() -> None:
    assert median(_all(Status.UNKNOWN)) == 0
    assert mean(_all(Status.UNKNOWN)) <= 0.8
    assert median(_all(Status.NOTE)) <= 3
    assert mean(_all(Status.NOTE)) <= HINTS


def test_nearly_every_machine_asks_for_two_figures_at_most() -> None:
    """What is left waits for figures of rack and server cases that their makers do not state."""
    few = [count <= QUESTIONS for count in _all(Status.UNKNOWN)]
    assert sum(few) >= 0.95 * len(few)
    assert max(_all(Status.UNKNOWN)) <= QUESTIONS + 1


def test_three_in_five_machines_hint_four_times_at_most() -> None:
    """Those with more are rigs on risers with several PSUs, cards of several kinds and platforms of ten years ago."""
    hinted = [count <= HINTS for count in _all(Status.NOTE)]
    assert sum(hinted) >= 0.6 * len(hinted)
    assert max(_all(Status.NOTE)) <= 9


@pytest.mark.parametrize("system", ["nvidia-dgx-1", "nvidia-dgx-1v", "nvidia-dgx-station"])
def test_a_complete_system_asks_for_nothing_that_its_maker_fixed(system: str) -> None:
    tally = counts()[system]
    assert tally[Status.UNKNOWN] <= 1
    assert tally[Status.NOTE] <= HINTS


def test_nothing_is_measured_where_the_words_carry_it() -> None:
    """A year, or one PSU against a limit of two, is no measurement."""
    assert not [one.message for one in _findings() if one.limit == 1 and one.unit in ("PSUs", "parts")]
    assert not [one.message for one in _findings() if one.measured and one.measured > 1900 and not one.unit]


def _findings() -> Iterable[Finding]:
    return (finding for build in builds().values() for finding in check(build, predict(build)))
