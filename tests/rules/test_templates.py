"""The shipped reference machines, held to the facts known about them."""

import pytest

from core.build.build import Build
from core.build.file import load_build
from core.paths import ASSETS
from core.placement.topology import pairs
from core.predict.conditions import LoadCase
from core.predict.prediction import predict
from core.rules.engine import check
from core.rules.finding import Status
from tests.shipped import parts_by_id

TEMPLATES = ASSETS / "templates"


@pytest.fixture(scope="module")
def templates() -> dict[str, Build]:
    parts = parts_by_id()
    return {path.name.removesuffix(".rig.json"): load_build(path, parts.get) for path in TEMPLATES.glob("*.rig.json")}


def fails(build: Build) -> list[str]:
    return [finding.message for finding in check(build) if finding.status is Status.FAIL]


@pytest.mark.parametrize("name", ["digits-devbox", "six-rtx-3090-quiet"])
def test_the_reference_machine_has_no_fail(templates: dict[str, Build], name: str) -> None:
    assert fails(templates[name]) == []


def test_the_first_attempt_fails_for_what_its_notes_say(templates: dict[str, Build]) -> None:
    findings = check(templates["six-rtx-3090-first-attempt"])
    failed = {finding.rule for finding in findings if finding.status is Status.FAIL}
    warned = {finding.rule for finding in findings if finding.status is Status.WARN}
    assert {"slot-placed", "slot-overlap", "psu-power", "gpu-cables", "mains-circuit"} <= failed
    assert {"card-gap", "pcie-link", "psu-excursion", "cable-shared"} <= warned


@pytest.mark.parametrize(
    ("name", "least_w", "most_w"),
    [("digits-devbox", 1100, 1350), ("six-rtx-3090-first-attempt", 1200, 2200), ("six-rtx-3090-quiet", 2300, 2700)],
)
def test_training_draws_what_such_machines_draw(
    templates: dict[str, Build], name: str, least_w: float, most_w: float
) -> None:
    assert least_w <= predict(templates[name]).wall_w[LoadCase.TRAINING].expected <= most_w


def test_six_cards_side_by_side_are_held_back_but_psus_must_bear_their_limits(templates: dict[str, Build]) -> None:
    known = predict(templates["six-rtx-3090-first-attempt"])
    assert [held.limit_w for held in known.throttled] == [350]
    assert 2300 <= known.limits.wall_w[LoadCase.TRAINING].expected <= 2700


def test_the_devbox_runs_on_an_ordinary_american_outlet(templates: dict[str, Build]) -> None:
    assert templates["digits-devbox"].circuit.continuous_w == 1440
    assert not [
        f for f in check(templates["digits-devbox"]) if f.rule == "mains-circuit" and f.status is not Status.PASS
    ]


def test_every_devbox_card_has_sixteen_lanes(templates: dict[str, Build]) -> None:
    links = [f for f in check(templates["digits-devbox"]) if f.rule == "pcie-link"]
    assert [f.slots for f in links] == [(1, 3, 5, 7)]
    assert {f.status for f in links} == {Status.PASS}


def test_the_quiet_machine_is_quiet_in_training_and_the_blowers_of_the_devbox_are_not(
    templates: dict[str, Build],
) -> None:
    quiet, devbox = predict(templates["six-rtx-3090-quiet"]), predict(templates["digits-devbox"])
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
def test_the_nvlink_that_a_machine_brings_is_told_as_nvlink(templates: dict[str, Build], name: str, words: str) -> None:
    [told] = [finding for finding in check(templates[name]) if finding.rule == "pcie-p2p"]
    assert told.status is Status.PASS
    assert words in told.message
    assert {pair.word for pair in pairs(templates[name])} <= {"NV"}
