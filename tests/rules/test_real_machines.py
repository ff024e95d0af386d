"""Machines from real life: those that work are not failed, the others are, and for their own reason."""

import json
import tomllib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from core.build.build import Build
from core.build.file import parse_build
from core.parts.part import Part
from core.paths import ASSETS
from core.rules.engine import COMPLETE, check
from core.rules.finding import SEVERITY, Finding, Status
from core.rules.registry import RULES
from tests.shipped import parts_by_id

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


@pytest.fixture(scope="module")
def parts() -> dict[str, Part]:
    return parts_by_id()


def complaints(machine: Machine, findings: tuple[Finding, ...]) -> list[Finding]:
    """What the machine's rule says of at least the wanted urgency, about all the wanted parts."""
    wanted = SEVERITY[Status(machine.status)]
    return [
        finding
        for finding in findings
        if finding.rule == machine.rule
        and finding.status is not Status.UNKNOWN
        and SEVERITY[finding.status] <= wanted
        and set(machine.about) <= set(finding.parts)
    ]


@pytest.fixture(scope="module")
def checked(parts: dict[str, Part]) -> dict[str, tuple[Finding, ...]]:
    return {machine.name: check(machine.build(parts)) for machine in MACHINES}


def test_a_machine_that_works_is_not_failed(checked: dict[str, tuple[Finding, ...]]) -> None:
    """A machine that waits is answered wrongly still; when that ends, its `waits` goes."""
    failed = {
        machine.name: [f"{one.rule}: {one.message}" for one in checked[machine.name] if one.status is Status.FAIL]
        for machine in MACHINES
        if machine.works
    }
    waiting = {machine.name for machine in MACHINES if machine.works and machine.waits}
    assert {name: said for name, said in failed.items() if bool(said) is not (name in waiting)} == {}


def test_a_machine_that_does_not_work_is_told_why(checked: dict[str, tuple[Finding, ...]]) -> None:
    wrong = {
        machine.name: [f"{f.status}: {f.message} {list(f.parts)}" for f in findings if f.rule == machine.rule]
        or f"no rule {machine.rule}"
        for machine, findings in ((one, checked[one.name]) for one in MACHINES if not one.works)
        if bool(complaints(machine, findings)) is machine.waits
    }
    assert wrong == {}


def test_machines_that_work_get_few_warnings_and_questions(checked: dict[str, tuple[Finding, ...]]) -> None:
    working = [machine for machine in MACHINES if machine.works]
    said = Counter(
        finding.status for machine in working for finding in checked[machine.name] if finding.rule not in NOT_IDLE
    )
    average = {status: said[status] / len(working) for status in MOST_A_MACHINE}
    assert {status: number for status, number in average.items() if number > MOST_A_MACHINE[status]} == {}


def test_the_table_has_its_machines_each_once() -> None:
    kinds = Counter(machine.works for machine in MACHINES)
    assert kinds[True] >= 199
    assert kinds[False] >= 241
    assert len({machine.name for machine in MACHINES}) == len(MACHINES)


def test_nineteen_of_twenty_told_faults_are_found() -> None:
    told = [machine for machine in MACHINES if not machine.works]
    assert sum(machine.waits for machine in told) <= 0.05 * len(told)


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
