"""Whether a profile is a shipped one is decided by all that it says, not by its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.burnin.profile.criteria import Criteria
from core.burnin.profile.file import (
    PROFILES,
    ProfileOrigin,
    find_profile,
    profile_origin,
    read_profile,
    shipped_profiles,
)
from core.burnin.profile.profile import Profile, profile_digest
from core.burnin.run.order import BurnOrder
from core.language import spoken

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
