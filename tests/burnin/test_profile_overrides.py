"""A profile made to measure: stages, networks, precision, batch, an expected power limit, any parameter."""

from __future__ import annotations

from typing import Any

import pytest

from core.burnin.profile.overrides import TRAINING, with_assignment, with_networks
from core.burnin.profile.profile import Profile, StageSettings
from core.burnin.run.order import BurnOrder
from core.burnin.stages.registry import BY_KIND, STAGES
from core.errors import BadInput


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
    known = [kind for kind in TRAINING if kind in BY_KIND]
    assert known
    assert all({"precision", "batch"} <= set(BY_KIND[kind].params.model_fields) for kind in known)
