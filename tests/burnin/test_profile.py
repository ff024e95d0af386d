"""Profiles: shipped ones are valid, wrong ones end in a sentence, times stretch."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.burnin.profile_file import find_profile, read_profile, shipped_profiles, stretched
from core.errors import BadInput


def test_first_light_is_shipped_and_takes_about_a_minute() -> None:
    profile = find_profile("first-light")
    assert 50 <= profile.seconds <= 75
    assert [stage.kind for stage in profile.stages] == ["preflight", "idle", "gemm", "transformer", "cooldown"]


def test_every_shipped_profile_is_named_like_its_file() -> None:
    assert {profile.name for profile in shipped_profiles()} >= {"first-light", "quick"}
    for profile in shipped_profiles():
        assert find_profile(profile.name) == profile


@pytest.mark.parametrize("minutes", [0.5, 1, 10, 600])
def test_stretching_gives_the_asked_time_and_keeps_the_preflight(minutes: float) -> None:
    profile = find_profile("first-light")
    longer = stretched(profile, minutes)
    assert longer.seconds == pytest.approx(minutes * 60)
    assert longer.stages[0] == profile.stages[0]


def test_stretching_below_the_preflight_is_refused() -> None:
    with pytest.raises(BadInput, match="too short"):
        stretched(find_profile("first-light"), 0.01)


def test_an_unknown_profile_names_those_that_exist() -> None:
    with pytest.raises(BadInput, match="first-light"):
        find_profile("no-such-profile")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name = ", "not valid TOML"),
        ('name = "x"\ntitle = "X"\nstages = []', "stages"),
        ('name = "X x"\ntitle = "X"\n[[stages]]\nkind="idle"\nseconds=1', "name"),
        ('name = "x"\ntitle = "X"\n[[stages]]\nkind="polish"\nseconds=1', "stages.0.kind"),
        ('name = "x"\ntitle = "X"\n[[stages]]\nkind="idle"\nseconds=-1', "stages.0.seconds"),
        ('name = "x"\ntitle = "X"\nspeed=3\n[[stages]]\nkind="idle"\nseconds=1', "speed"),
        ('name = "x"\ntitle = "X"\n[guards]\ntemperature_c=900\n[[stages]]\nkind="idle"\nseconds=1', "temperature_c"),
    ],
)
def test_a_wrong_profile_ends_in_a_sentence_that_names_file_and_field(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=r"mine\.toml") as caught:
        read_profile(path)
    assert says in str(caught.value)


def test_a_binary_file_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(BadInput, match="not valid TOML"):
        read_profile(path)
