"""What is ordered: devices by id or index, a profile made to measure, and which origin it then has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.burnin.profile.file import (
    PROFILES,
    ProfileOrigin,
    find_profile,
    profile_origin,
    read_profile,
    shipped_profiles,
)
from core.burnin.profile.overrides import TRAINING, with_assignment, with_networks
from core.burnin.profile.profile import Criteria, Profile, StageSettings, profile_digest
from core.burnin.run.order import BurnOrder, choose_devices
from core.burnin.stages.registry import BY_KIND, STAGES
from core.machine.telemetry.device import Device, DeviceKind
from core.platform.errors import BadInput
from core.words import spoken

GPU_A = Device("GPU-aa11", DeviceKind.GPU, "Card", index=0)
GPU_B = Device("GPU-ab22", DeviceKind.GPU, "Card", index=1)
CPU = Device("cpu", DeviceKind.CPU, "Processor")
PRESENT = [GPU_A, GPU_B, CPU]


@pytest.mark.parametrize(
    ("words", "chosen"),
    [
        ((), [GPU_A, GPU_B]), (("GPU-aa",), [GPU_A]), (("1",), [GPU_B]), (("0",), [GPU_A]), (("cpu",), [CPU]),
        (("cpu", "GPU-ab22"), [GPU_B, CPU]),
    ],
)  # fmt: skip
def test_words_choose_devices_in_their_own_order(words: tuple[str, ...], chosen: list[Device]) -> None:
    assert choose_devices(PRESENT, words) == chosen


def test_without_a_gpu_nothing_is_burned_in_unless_the_cpu_is_chosen() -> None:
    assert choose_devices([CPU], ()) == []
    assert choose_devices([CPU], ("cpu",)) == [CPU]


@pytest.mark.parametrize(("word", "says"), [("GPU-a", "several"), ("GPU-x", "no device"), ("7", "no device")])
def test_a_word_that_names_none_or_several_is_refused_with_the_present_ids(word: str, says: str) -> None:
    with pytest.raises(BadInput, match=says) as caught:
        choose_devices(PRESENT, (word,))
    assert "GPU-aa11" in str(caught.value)


def ordered(**order: Any) -> list[tuple[str, float]]:
    return [(stage.kind, round(stage.seconds, 1)) for stage in BurnOrder(**order).wanted_profile().stages]


def profile(*kinds: str) -> Profile:
    return Profile(name="own", title="Own", stages=tuple(StageSettings(kind=kind, seconds=60) for kind in kinds))


def test_without_a_word_it_is_quick_test() -> None:
    assert BurnOrder().wanted_profile().name == "quick-test"


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.kind)
def test_every_stage_runs_alone_for_its_own_time_or_the_one_asked_for(stage: Any) -> None:
    own = {"module": "my.net:make"} if stage.kind == "own-module" else {}
    assert ordered(stages=(stage.kind,), **own) == [(stage.kind, stage.seconds)]
    if stage.kind != "preflight":
        assert ordered(stages=(stage.kind,), minutes=2, **own) == [(stage.kind, 120.0)]


def test_stages_of_a_profile_are_taken_as_the_profile_has_them() -> None:
    named = dict(ordered(profile="every-check"))
    assert ordered(profile="every-check", stages=("gemm", "idle")) == [("gemm", named["gemm"]), ("idle", named["idle"])]


def test_networks_share_the_time_of_what_the_profile_trains() -> None:
    chosen = with_networks(profile("idle", "resnet", "transformer", "gemm"), ("lstm", "resnet"))
    assert [(stage.kind, stage.seconds) for stage in chosen.stages] == [
        ("idle", 60), ("lstm", 60), ("resnet", 60), ("gemm", 60),
    ]  # fmt: skip


def test_networks_come_before_the_cool_down_where_the_profile_trains_none() -> None:
    chosen = with_networks(profile("gemm", "cooldown"), ("lstm",))
    assert [stage.kind for stage in chosen.stages] == ["gemm", "lstm", "cooldown"]


def test_precision_and_batch_reach_all_that_trains_and_nothing_else() -> None:
    order = BurnOrder(profile="quick-test", precision="bf16", batch=64)
    stages = {stage.kind: stage.params for stage in order.wanted_profile().stages}
    assert stages["transformer"] == {"precision": "amp-bf16", "batch": 64}
    assert stages["gemm"] == {}


def test_an_expected_power_limit_is_asked_of_preflight_which_is_added_where_it_lacks() -> None:
    first = BurnOrder(stages=("gemm",), power_limit_w=300).wanted_profile().stages[0]
    assert (first.kind, first.params) == ("preflight", {"power_limit_w": 300})


@pytest.mark.parametrize(
    ("text", "value"), [("vram.passes=2", 2), ("vram.inject=stuck", "stuck"), ("vram.fade_s = 1.5", 1.5)]
)
def test_any_parameter_can_be_set(text: str, value: Any) -> None:
    stage = with_assignment(profile("vram", "gemm"), text).stages[0]
    assert list(stage.params.values()) == [value]


@pytest.mark.parametrize(
    ("order", "says"),
    [
        ({"stages": ("polish",)}, "no stage 'polish'"),
        ({"networks": ("vgg",)}, "no network 'vgg'"),
        ({"stages": ("vram",), "precision": "bf16"}, "has a parameter precision"),
        ({"profile": "quick-test", "precision": "fp8"}, "precision"),
        ({"profile": "quick-test", "settings": ("gemm",)}, "sets nothing"),
        ({"profile": "quick-test", "settings": ("vram.passes=2",)}, "No stage vram"),
        ({"profile": "quick-test", "settings": ("gemm.size=7",)}, "params.size"),
        ({"profile": "quick-test", "settings": ("gemm.colour=7",)}, "colour"),
        ({"stages": ("gemm",), "settings": ("gemm.inject=die",)}, "cannot be injected"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(order: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        BurnOrder(**order).wanted_profile()


def test_only_simulated_loads_die_on_purpose() -> None:
    assert BurnOrder(stages=("gemm",), settings=("gemm.inject=die",), simulate="1x3090").wanted_profile()


def test_an_own_network_is_trained_by_its_import_path_and_chooses_its_batch() -> None:
    order = BurnOrder(profile="quick-test", module="my.net:make", batch=8, networks=("resnet",))
    stages = {stage.kind: stage.params for stage in order.wanted_profile().stages}
    assert stages["own-module"] == {"module": "my.net:make"}
    assert stages["resnet"] == {"batch": 8}
    with pytest.raises(BadInput, match=r"params\.module"):
        BurnOrder(stages=("own-module",)).wanted_profile()


def test_the_networks_are_also_those_that_groups_train() -> None:
    stages = {stage.kind: stage.params for stage in with_networks(profile("data-parallel", "lstm"), ("lstm",)).stages}
    assert stages["data-parallel"] == {"networks": "lstm"}


def test_all_that_trains_takes_precision_and_batch() -> None:
    kinds = [kind for kind in TRAINING if kind in BY_KIND]
    assert kinds
    assert all({"precision", "batch"} <= set(BY_KIND[kind].params.model_fields) for kind in kinds)


ACCEPTANCE = find_profile("acceptance")


@pytest.mark.parametrize("profile", shipped_profiles(), ids=lambda profile: profile.name)
def test_a_shipped_profile_is_one_as_it_is_recorded_too(profile: Profile) -> None:
    recorded = Profile.model_validate_json(profile.model_dump_json())
    assert profile_origin(recorded) is ProfileOrigin.SHIPPED
    assert profile_digest(recorded) == profile_digest(profile)


def test_the_digest_is_the_same_in_every_language() -> None:
    with spoken("de"):
        german = profile_digest(find_profile("acceptance"))
    assert german == profile_digest(ACCEPTANCE)


@pytest.mark.parametrize(
    "order",
    [
        BurnOrder(profile="acceptance", minutes=5),
        BurnOrder(profile="acceptance", stages=("gemm",)),
        BurnOrder(profile="acceptance", settings=("vram.passes=2",)),
        BurnOrder(minutes=2),
    ],
)
def test_an_order_that_changes_stages_leaves_a_changed_shipped_profile(order: BurnOrder) -> None:
    assert profile_origin(order.wanted_profile()) is ProfileOrigin.CHANGED


def test_stages_that_are_chosen_without_a_profile_say_so() -> None:
    assert profile_origin(BurnOrder(stages=("gemm",)).wanted_profile()) is ProfileOrigin.STAGES


@pytest.mark.parametrize(
    "change",
    [
        {"criteria": Criteria(slower_than_best_fail_pct=99)},
        {"guards": ACCEPTANCE.guards.model_copy(update={"temperature_c": 115})},
        {"title": "Acceptance of the maker"},
        {"name": "mine"},
        {"name": "stages", "criteria": Criteria(max_errors=9)},
    ],
)
def test_what_judges_in_another_way_is_an_own_file_whatever_its_name(change: dict[str, object]) -> None:
    own = ACCEPTANCE.model_copy(update=change)
    assert profile_origin(own) is ProfileOrigin.OWN_FILE
    assert profile_digest(own) != profile_digest(ACCEPTANCE)


def test_a_file_with_name_and_criteria_of_a_shipped_profile_and_other_stages_is_an_own_file(tmp_path: Path) -> None:
    path = tmp_path / "acceptance.toml"
    path.write_bytes((PROFILES / path.name).read_bytes())
    assert profile_origin(find_profile(str(path))) is ProfileOrigin.SHIPPED
    stage = '[[stages]]\nkind = "gemm"\ntitle = "Training for 24 h"\nseconds = 3\n'
    for name in ("acceptance", "stages"):
        head = f'name = "{name}"\ntitle = "{ACCEPTANCE.title}"\ndescription = "{ACCEPTANCE.description}"\n'
        path.write_text(head + stage, encoding="utf-8")
        assert profile_origin(read_profile(path)) is not ProfileOrigin.OWN_FILE
        order = BurnOrder(profile=str(path))
        assert profile_origin(order.wanted_profile()) is ProfileOrigin.OWN_FILE
        assert order.wanted_profile().name == f"own-{name}"
