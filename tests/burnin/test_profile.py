"""Profiles: shipped ones are valid, wrong ones end in a sentence, times stretch."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from core.burnin.profile.file import (
    PROFILES,
    ProfileFile,
    Repetition,
    find_profile,
    profile_schema,
    read_profile,
    shipped_profiles,
    stretched,
    title_of,
)
from core.burnin.profile.profile import OwnLimit, Profile, StageSettings
from core.burnin.stages.registry import GROUPS, STAGES, StageGroup
from core.platform.errors import BadInput


def test_quick_test_is_shipped_and_takes_about_a_minute() -> None:
    profile = find_profile("quick-test")
    assert 50 <= profile.seconds <= 75
    assert [stage.kind for stage in profile.stages] == ["preflight", "idle", "gemm", "transformer", "cooldown"]


def test_every_shipped_profile_is_named_like_its_file() -> None:
    assert {profile.name for profile in shipped_profiles()} >= {"quick-test", "every-check"}
    for profile in shipped_profiles():
        assert find_profile(profile.name) == profile


@pytest.mark.parametrize("minutes", [0.5, 1, 10, 600])
def test_stretching_gives_the_asked_time_and_keeps_the_preflight(minutes: float) -> None:
    profile = find_profile("quick-test")
    longer = stretched(profile, minutes)
    assert longer.seconds == pytest.approx(minutes * 60)
    assert longer.stages[0] == profile.stages[0]


@pytest.mark.parametrize(("minutes", "fades_s"), [(144, 60), (1440, 600), (2880, 600)])
def test_the_rest_of_the_memory_stays_within_its_stage(minutes: float, fades_s: float) -> None:
    vram = next(stage for stage in stretched(find_profile("acceptance"), minutes).stages if "fade_s" in stage.params)
    assert vram.params["fade_s"] == pytest.approx(fades_s, rel=0.02)
    assert vram.params["fade_s"] < vram.seconds


def test_stretching_below_the_preflight_is_refused() -> None:
    with pytest.raises(BadInput, match="too short"):
        stretched(find_profile("quick-test"), 0.01)


def test_an_unknown_profile_names_those_that_exist() -> None:
    with pytest.raises(BadInput, match="quick-test"):
        find_profile("no-such-profile")


HEAD = 'name = "x"\ntitle = "X"\n'


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(HEAD + text, encoding="utf-8")
    return path


def test_stages_that_repeat_are_written_out_with_their_round(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """
        [[stages]]
        kind = "idle"
        seconds = 10
        [[stages]]
        times = 2
        [[stages.repeat]]
        kind = "gemm"
        seconds = 30
        params = { size = 128 }
        [[stages.repeat]]
        kind = "cooldown"
        title = "A breath"
        seconds = 5
        [[stages]]
        kind = "idle"
        seconds = 20
        """,
    )
    stages = read_profile(path).stages
    assert [(stage.kind, title_of(stage), stage.seconds) for stage in stages] == [
        ("idle", "Idle baseline", 10), ("gemm", "Verified GEMM, round 1 of 2", 30),
        ("cooldown", "A breath, round 1 of 2", 5), ("gemm", "Verified GEMM, round 2 of 2", 30),
        ("cooldown", "A breath, round 2 of 2", 5), ("idle", "Idle baseline", 20),
    ]  # fmt: skip
    assert stages[1].params == stages[3].params == {"size": 128}


@given(st.floats(1, 7000), st.floats(60, 7000), st.floats(0.1, 100))
def test_rounds_fill_the_hours_to_within_half_a_round(before_s: float, round_s: float, hours: float) -> None:
    repetition = Repetition(until_hours=hours, repeat=(StageSettings(kind="gemm", seconds=round_s),))
    rounds = repetition.rounds(before_s)
    ends_s = before_s + rounds * round_s
    assert rounds >= 1
    assert rounds == 1 or abs(ends_s - hours * 3600) <= round_s / 2 + 1e-6


def test_a_profile_that_would_not_end_is_refused(tmp_path: Path) -> None:
    text = (
        '[[stages]]\ntimes = 999\n[[stages.repeat]]\nkind="idle"\nseconds=1\n[[stages.repeat]]\nkind="gemm"\nseconds=1'
    )
    with pytest.raises(BadInput, match="1998 stages"):
        read_profile(written(tmp_path, text))


def test_limits_of_the_users_own_are_read(tmp_path: Path) -> None:
    text = '[[stages]]\nkind="idle"\nseconds=1\n[[guards.limits]]\nmetric="temperature_c"\nabove=85\nfor_s=10'
    assert read_profile(written(tmp_path, text)).guards.limits == (
        OwnLimit(metric="temperature_c", above=85, for_s=10),
    )


def test_the_least_time_of_a_soak_stretches_with_the_longest() -> None:
    profile = Profile(name="x", title="X", stages=(StageSettings(kind="soak", seconds=3600),))
    short = stretched(profile, 6).stages[0]
    assert (short.seconds, short.params["min_seconds"], short.params["window_seconds"]) == (360, 90, 30)
    longer = stretched(profile, 600).stages[0]
    assert (longer.params["min_seconds"], longer.params["window_seconds"]) == (9000, 300)


# -- the schema -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    schema = profile_schema()
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.mark.parametrize("path", sorted(PROFILES.glob("*.toml")), ids=lambda path: path.stem)
def test_shipped_profiles_follow_the_exported_schema(validator: Draft202012Validator, path: Path) -> None:
    validator.validate(tomllib.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "stage",
    [
        {"kind": "polish", "seconds": 1},
        {"kind": "gemm", "seconds": 0},
        {"kind": "gemm", "seconds": 1, "params": {"size": "big"}},
        {"kind": "gemm", "seconds": 1, "params": {"passes": 2}},
        {"kind": "soak", "seconds": 1, "params": {"min_seconds": -1}},
        {"times": 2, "repeat": [{"kind": "gemm", "seconds": 1, "params": {"colour": 1}}]},
    ],
    ids=str,
)
def test_the_schema_refuses_what_the_program_refuses(
    validator: Draft202012Validator, tmp_path: Path, stage: dict[str, Any]
) -> None:
    document = {"name": "x", "title": "X", "stages": [stage]}
    assert not validator.is_valid(document)
    with pytest.raises((BadInput, ValidationError)):
        ProfileFile.model_validate(document).check(simulated=False)


IDLE = f'{HEAD}[[stages]]\nkind="idle"\nseconds=1\n'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name = ", "not valid TOML"),
        (f"name = {'9' * 4301}", "more than 300 digits"),
        (f"name = {'[' * 2000}{']' * 2000}", "nested too deeply"),
        (f"name = {'[' * 50}{']' * 50}", "name: [[[[[...]]]]] is not text"),
        (f"{HEAD}stages = []", "stages"),
        (IDLE.replace('"x"', '"X x"'), "name"),
        (IDLE.replace("idle", "polish"), "stages.0.kind"),
        (IDLE.replace("=1", "=-1"), "stages.0.seconds"),
        (f"{IDLE.replace('idle', 'gemm')}params={{size=7}}", "stages.0.params.size"),
        (f"{IDLE}params={{size=128}}", "stages.0.params.size"),
        (f'{HEAD}[[stages]]\ntimes=2\n[[stages.repeat]]\nkind="gemm"\nseconds=1\nparams={{seed=-1}}',
         "stages.0.repeat.0.params.seed"),
        (f'{HEAD}[[stages]]\nrepeat=[{{kind="gemm", seconds=1}}]', "either times or until_hours"),
        (f'{IDLE}[[guards.limits]]\nmetric="power_w"', "either above or below"),
        (f'{IDLE}[[guards.limits]]\nmetric="joy"\nabove=1', "guards.limits.0.metric: there is no metric 'joy'"),
        # the verdict would end in an error
        (f'{IDLE}[[criteria.counters]]\nmetric="joy"\nsays="x"\nsource="y"',
         "criteria.counters.0.metric: there is no metric 'joy'"),
        (f'{IDLE}[[criteria.throttling]]\nreason="SyncBoost"\nmetric="joy"\nsource="y"',
         "criteria.throttling.0.metric: there is no metric 'joy'"),
        # it would judge nothing
        (f'{IDLE}[[criteria.throttling]]\nreason="Joy"\nsource="y"',
         "criteria.throttling.0.reason: there is no reason 'Joy'; choose from GpuIdle, "),
        (f'{IDLE}[[guards.limits]]\nmetric="power_w"\nabove=nan', "guards.limits.0.above"),  # never breached
        # without a year spent on writing them out
        (f'{HEAD}[[stages]]\nuntil_hours=168\nrepeat=[{{kind="idle", seconds=1e-6}}]', "a run has at most 1000"),
        (f'{HEAD}[[stages]]\nuntil_hours=168\nrepeat=[{{kind="idle", seconds=5e-324}}]', "a run has at most 1000"),
        (f"speed=3\n{IDLE}", "speed"),
        (f"{IDLE}[guards]\ntemperature_c=900", "temperature_c"),
    ],
)  # fmt: skip
def test_a_wrong_profile_ends_in_a_sentence_that_names_file_and_field(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=r"mine\.toml") as caught:
        read_profile(path)
    assert says in str(caught.value)


def test_a_binary_file_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(BadInput, match="not UTF-8 text"):
        read_profile(path)


TIMES_MIN = {"every-check": (9, 11), "standard": (75, 90), "acceptance": (23.5 * 60, 24.5 * 60),
             "extended": (71.5 * 60, 73 * 60), "commissioning": (168 * 60, 169 * 60), "health": (2, 3)}  # fmt: skip
LONG = ("standard", "acceptance", "extended", "commissioning")
"""They run every stage that needs no choice of the user."""


@pytest.mark.parametrize("profile", shipped_profiles(), ids=lambda profile: profile.name)
def test_a_shipped_profile_takes_the_time_that_it_promises_and_tells_a_sick_machine_early(profile: Profile) -> None:
    """Sanity, validation, performance, stress."""
    shortest_min, longest_min = TIMES_MIN.get(profile.name, (0, float("inf")))
    assert shortest_min <= profile.seconds / 60 <= longest_min
    first = dict.fromkeys(stage.kind for stage in profile.stages)
    groups = [list(StageGroup).index(GROUPS[kind]) for kind in first]
    assert groups == sorted(groups)
    stress = next(n for n, stage in enumerate(profile.stages) if GROUPS[stage.kind] is StageGroup.STRESS)
    assert sum(stage.seconds for stage in profile.stages[:stress]) <= 45 * 60
    if profile.name in LONG:
        assert {stage.kind for stage in STAGES} - set(first) == {"own-module"}


def test_every_stage_is_in_a_group_and_every_profile_that_promises_a_time_is_shipped() -> None:
    assert GROUPS.keys() == {stage.kind for stage in STAGES}
    assert {*TIMES_MIN, *LONG} <= {profile.name for profile in shipped_profiles()}
