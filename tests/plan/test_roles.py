"""A display card or a spare changes no count of workers, and its role is guessed by figures where nobody says it."""

from dataclasses import replace

import pytest

from core.parts.part import Part
from core.plan.build import Build
from core.plan.card_edits import SetRole
from core.plan.file import dump_build, parse_build
from core.plan.line import Line, Role
from core.plan.line_words import gpu_words, role_words
from core.predict.conditions import LoadCase
from core.predict.curves import limited
from core.predict.prediction import predict
from core.predict.speed.speed import predict_speed
from core.rules.engine import check
from core.rules.finding import Status
from tests.shipped import parts_by_id, templates

A6000, A400, P40, B60_DUAL = "nvidia-rtx-a6000", "nvidia-rtx-a400", "nvidia-tesla-p40", "sparkle-arc-pro-b60-dual-48gb"

ABOUT_WORK = frozenset(
    ("vram-need", "gpu-count-shape", "gpu-mixed", "gpu-capability", "iommu", "ram-for-gpus", "ram-ecc", "cpu-cores")
)


def own(part_id: str, **figures: object) -> Part:
    """A card of the user's own, by few figures: its name says nothing."""
    old = parts_by_id()[A400]
    spec = old.spec.model_copy(update={"product": part_id, "fp32_tflops": None, "cores": None, **figures})
    return old.model_copy(update={"id": part_id, "name": part_id, "spec": spec})


GT_730 = own("own-a", memory_gb=1.0, power_limit_w=38.0)


def build_of(*lines: tuple[str | Part, int]) -> Build:
    parts = parts_by_id()
    return Build("Cards", tuple(Line(parts[one] if isinstance(one, str) else one, count) for one, count in lines))


def without_gpus(build: Build) -> tuple[Line, ...]:
    return tuple(line for line in build.lines if line.part.category != "gpu")


@pytest.mark.parametrize(
    ("small", "large", "role"),
    [
        (A400, A6000, Role.DISPLAY),
        (GT_730, P40, Role.DISPLAY),
        (own("t400", memory_gb=4.0, power_limit_w=30.0), "nvidia-rtx-3090-ti-founders-edition", Role.DISPLAY),
        (own("gtx-1650", memory_gb=4.0, power_limit_w=75.0, fp32_tflops=2.98), P40, Role.DISPLAY),
        (own("p4", memory_gb=8.0, power_limit_w=75.0, fp32_tflops=5.5), P40, Role.WORKER),
        (A400, "nvidia-gtx-titan-x-maxwell", Role.DISPLAY),
        (A400, "nvidia-gtx-1080-ti-founders-edition", Role.DISPLAY),
        (own("t4", memory_gb=16.0, power_limit_w=70.0, fp32_tflops=8.1), "nvidia-h100-pcie-80gb", Role.WORKER),
        (own("half", memory_gb=12.0, power_limit_w=170.0), A6000, Role.WORKER),
        (own("unknown-size", memory_gb=None, power_limit_w=30.0), A6000, Role.WORKER),
        (own("unknown-power", memory_gb=2.0, power_limit_w=None), A6000, Role.WORKER),
    ],
)
def test_a_role_is_guessed_by_figures(small: str | Part, large: str, role: Role) -> None:
    build = build_of((small, 1), (large, 2))
    line = build.lines[0]
    assert build.role(line.part.id) is role
    assert role_words(build, line) == ("display (guessed by size)" if role is Role.DISPLAY else "worker")
    assert [worker.part.id for worker, _ in build.workers()][-1] == large


def test_small_cards_alone_work() -> None:
    assert build_of((A400, 2)).worker_count == 2
    assert gpu_words(build_of((A400, 2))) == ""


def test_what_the_user_says_holds() -> None:
    build = SetRole(A400, Role.WORKER).apply(build_of((A400, 1), (A6000, 3)))
    assert build.worker_count == 4
    build = SetRole(A6000, Role.SPARE).apply(build)
    assert build.worker_count == 1
    assert gpu_words(build) == "1 worker + 3 spares"
    assert gpu_words(build_of((A400, 1), (A6000, 3))) == "3 workers + 1 display card (guessed by size)"


@pytest.mark.parametrize("role", list(Role))
def test_a_role_is_kept_in_the_file(role: Role) -> None:
    build = SetRole(A400, role).apply(build_of((A400, 1), (A6000, 3)))
    assert parse_build(dump_build(build), lambda _: None) == build


@pytest.mark.parametrize("name", sorted(templates()))
@pytest.mark.parametrize("small", [A400, GT_730], ids=["A400", "by few figures"])
def test_a_display_card_changes_no_count_of_workers(name: str, small: str | Part) -> None:
    """Neither do findings on the work, the speed, or the peaks that meet."""
    before = templates()[name]
    card = parts_by_id()[small] if isinstance(small, str) else small
    after = replace(before, lines=(*before.lines, Line(card, role=Role.DISPLAY)))
    assert after.worker_count == before.worker_count
    assert [line.part.id for line, _ in after.workers()] == [line.part.id for line, _ in before.workers()]
    speeds = [[network.rate for network in predict_speed(build).networks] for build in (before, after)]
    assert speeds[0] == speeds[1]
    work = [{(f.rule, f.status, f.message) for f in check(build) if f.rule in ABOUT_WORK} for build in (before, after)]
    assert work[0] == work[1]


def test_a_guessed_display_card_adds_no_warning_on_work() -> None:
    before = templates()["four-rtx-pro-6000-max-q"]
    rest = without_gpus(before)
    machine = before.with_lines((*rest, Line(parts_by_id()[A6000], 3)))
    after = machine.with_lines((*machine.lines, Line(parts_by_id()[A400], 1)))
    warned = {(f.rule, f.status) for f in check(machine) if f.status in (Status.WARN, Status.FAIL)}
    fresh = {(f.rule, f.status) for f in check(after) if f.status in (Status.WARN, Status.FAIL)} - warned
    assert {rule for rule, _ in fresh} <= {"slot-placed"}
    shape = next(f for f in check(after) if f.rule == "gpu-count-shape")
    assert "3 GPUs" in shape.message


def test_a_share_of_the_power_limit_is_that_of_the_cards_that_work() -> None:
    build = SetRole(A400, Role.DISPLAY).apply(build_of((A400, 1), (A6000, 3)))
    assert {line.part.id: line.power_limit_w for line in limited(build, 0.5).lines} == {A400: None, A6000: 150}


def test_cards_that_do_no_work_idle_while_the_others_train() -> None:
    build = build_of((A400, 1), (A6000, 3))
    power = {
        role: {part.part_id: part.dc_w for part in predict(SetRole(A400, role).apply(build)).limits.components}[A400]
        for role in Role
    }
    idle = power[Role.WORKER][LoadCase.IDLE]
    for role in (Role.DISPLAY, Role.SPARE):
        assert power[role][LoadCase.TRAINING] == idle
    assert power[Role.SPARE][LoadCase.EVERYTHING] == idle
    assert power[Role.DISPLAY][LoadCase.EVERYTHING] == power[Role.WORKER][LoadCase.EVERYTHING]


def test_each_chip_of_a_card_is_a_gpu_with_its_share() -> None:
    build = build_of((B60_DUAL, 2))
    assert build.worker_count == 4
    assert gpu_words(build) == "4 workers on 2 cards"
    for network in predict_speed(build).networks:
        assert [(card.number, card.chip) for card in network.cards] == [(1, 1), (1, 2), (2, 1), (2, 2)]
        assert network.memory.memory_gb == 24
    models = next(f for f in check(build) if f.rule == "vram-need")
    assert models.message.startswith("A GPU of 24 GB")
    assert models.measured == 24


def test_one_chip_of_a_card_is_as_fast_as_half_of_it() -> None:
    whole = parts_by_id()["nvidia-tesla-k80"]
    single = whole.model_copy(update={"spec": whole.spec.model_copy(update={"chips": 1})})
    for two, one in zip(
        predict_speed(build_of((whole, 1))).networks, predict_speed(build_of((single, 1))).networks, strict=True
    ):
        assert len(two.cards) == 2
        assert one.rate is not None and two.rate is not None
        assert two.cards[0].rate.expected < 0.6 * one.rate.expected
        assert two.rate.expected < one.rate.expected
