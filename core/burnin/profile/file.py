"""Profile files: TOML with stages, repetitions, guards and criteria; the shipped ones; the JSON Schema for editors."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag, ValidationError, model_validator

from core.burnin.profile.profile import (
    CHOSEN_STAGES,
    Criteria,
    Guards,
    Profile,
    ProfileHead,
    ProfileModel,
    StageSettings,
    profile_digest,
)
from core.burnin.stages.registry import BY_KIND, STAGES
from core.burnin.stages.stage import Stage
from core.machine.telemetry.metrics import BY_NAME as METRICS
from core.machine.telemetry.throttle import THROTTLE_REASONS
from core.platform.errors import BadInput
from core.platform.foreign import Unreadable, read_text, read_toml
from core.platform.paths import ASSETS
from core.words import Worded, joined, tr, translated
from core.words.refusal import first_refusal

PROFILES = ASSETS / "profiles"
MAX_BYTES = 4_000_000
MOST_STAGES = 1000
MOST_ROUNDS = 10**9
"""Of a repetition that is counted by the time that it fills: far more than can run, and still a number."""
THROTTLE_NAMES = tuple(reason.name for reason in THROTTLE_REASONS)
_TAGS = ("stage", "repetition")
ADDRESS = "https://json-schema.org/draft/2020-12/schema"
STAGE = "StageSettings"


class Repetition(ProfileModel):
    """Stages that are repeated: a number of times, or until so many hours of the whole profile are filled."""

    times: Annotated[int, Field(ge=1, le=MOST_STAGES)] | None = None
    until_hours: Annotated[float, Field(gt=0, le=7 * 24)] | None = None
    """Counted from the start of the profile; the last round may end up to half a round sooner or later."""
    repeat: Annotated[tuple[StageSettings, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _one_end(self) -> Repetition:
        if (self.times is None) == (self.until_hours is None):
            raise ValueError("give either times or until_hours")
        return self

    @property
    def seconds(self) -> float:
        """Of one round."""
        return sum(stage.seconds for stage in self.repeat)

    def rounds(self, elapsed_s: float) -> int:
        """How often the stages run when so much time has passed before the first."""
        if self.times is not None:
            return self.times
        assert self.until_hours is not None
        return max(1, round(min((self.until_hours * 3600 - elapsed_s) / self.seconds, MOST_ROUNDS)))


def _tag(entry: Any) -> str:
    fields = entry if isinstance(entry, dict) else vars(entry) if isinstance(entry, ProfileModel) else {}
    return _TAGS["repeat" in fields]


Entry = Annotated[
    Annotated[StageSettings, Tag("stage")] | Annotated[Repetition, Tag("repetition")], Discriminator(_tag)
]


class ProfileFile(ProfileHead):
    """A burn-in profile of Rigwright as its file has it."""

    stages: Annotated[tuple[Entry, ...], Field(min_length=1)]

    def check(self, *, simulated: bool) -> None:
        """Raises BadInput naming the first metric or stage that does not exist, or what a stage cannot do."""
        for place, metric in self._metrics():
            if metric not in METRICS:
                raise BadInput(tr("{place}.metric: there is no metric {metric!r}.", place=place, metric=metric))
        for number, throttle in enumerate(self.criteria.throttling):
            if throttle.reason not in THROTTLE_NAMES:
                fields = {"number": number, "reason": throttle.reason, "reasons": ", ".join(THROTTLE_NAMES)}
                raise BadInput(
                    tr(
                        "criteria.throttling.{number}.reason: there is no reason {reason!r}; choose from {reasons}.",
                        **fields,
                    )
                )
        for number, entry in enumerate(self.stages):
            place = f"stages.{number}."
            if isinstance(entry, StageSettings):
                check_stage(entry, place, simulated=simulated)
                continue
            for inner, stage in enumerate(entry.repeat):
                check_stage(stage, f"{place}repeat.{inner}.", simulated=simulated)

    def _metrics(self) -> Iterator[tuple[str, str]]:
        """Every metric that guards and criteria name, with its place in the file."""
        named: dict[str, list[str | None]] = {
            "guards.limits": [limit.metric for limit in self.guards.limits],
            "criteria.counters": [limit.metric for limit in self.criteria.counters],
            "criteria.throttling": [limit.metric for limit in self.criteria.throttling],
        }
        for place, metrics in named.items():
            yield from ((f"{place}.{number}", metric) for number, metric in enumerate(metrics) if metric is not None)

    def profile(self) -> Profile:
        """With every repetition written out. Raises BadInput for more stages than a run can hold."""
        rounds = list(self._rounds())
        count = sum(number * len(entry.repeat) if isinstance(entry, Repetition) else 1 for entry, number in rounds)
        if count > MOST_STAGES:  # before they are written out: short stages fill many hours with millions of rounds
            fields = {"stages": count, "most": MOST_STAGES}
            raise BadInput(tr("stages: {stages} stages with repetitions; a run has at most {most}.", **fields))
        head = {name: getattr(self, name) for name in ProfileHead.model_fields}
        return Profile(**head, stages=tuple(stage for one in rounds for stage in _expanded(*one)))

    def _rounds(self) -> Iterator[tuple[StageSettings | Repetition, int]]:
        """Each entry with how often it runs."""
        elapsed_s = 0.0
        for entry in self.stages:
            number = 1 if isinstance(entry, StageSettings) else entry.rounds(elapsed_s)
            elapsed_s += number * entry.seconds
            yield entry, number


def _expanded(entry: StageSettings | Repetition, rounds: int) -> Iterator[StageSettings]:
    if isinstance(entry, StageSettings):
        yield entry
        return
    for number in range(1, rounds + 1):
        for stage in entry.repeat:
            fields = {"title": title_of(stage), "number": number, "rounds": rounds}
            yield stage.model_copy(update={"title": tr("{title}, round {number} of {rounds}", **fields)})


def title_of(stage: StageSettings) -> str:
    """Its own title, or that of its kind."""
    return (
        translated(stage.title) if stage.title else (BY_KIND[stage.kind].title if stage.kind in BY_KIND else stage.kind)
    )


def check_stage(stage: StageSettings, place: str, *, simulated: bool) -> None:
    """Raises BadInput, beginning with `place`, for a stage that does not exist or is asked what it cannot do."""
    if stage.kind not in BY_KIND:
        fields = {"place": place, "kind": stage.kind, "kinds": ", ".join(BY_KIND)}
        raise BadInput(tr("{place}kind: there is no stage {kind!r}; choose from {kinds}.", **fields))
    try:
        BY_KIND[stage.kind].check(stage.params, simulated=simulated)
    except BadInput as problem:
        raise BadInput(joined((place, problem.sentence), "")) from problem


def stretched(profile: Profile, minutes: float) -> Profile:
    """The same stages over another total time; preflight keeps its length. Raises BadInput for too short a time."""
    fixed = sum(stage.seconds for stage in profile.stages if stage.kind == "preflight")
    factor = (minutes * 60 - fixed) / max(profile.seconds - fixed, 1e-9)
    if factor <= 0:
        fields = {"minutes": minutes, "fixed": fixed}
        raise BadInput(tr("{minutes:g} minutes are too short: the preflight alone takes {fixed:.0f} s.", **fields))
    return profile.model_copy(update={"stages": tuple(_stretched(stage, factor) for stage in profile.stages)})


def _stretched(stage: StageSettings, factor: float) -> StageSettings:
    if stage.kind == "preflight" or not math.isfinite(factor):
        return stage
    params = BY_KIND[stage.kind].stretched(stage.params, factor)
    return stage.model_copy(update={"seconds": stage.seconds * factor, "params": params})


class ProfileOrigin(Worded):
    """Where a profile comes from, by what it says: name and title are easily given to another one."""

    SHIPPED = "shipped", tr("shipped profile")
    """It says what the shipped profile of its name says, to the last value."""
    CHANGED = "shipped, changed", tr("shipped profile, changed by the user")
    """The shipped profile of its name but for its stages, which an order can shorten, choose and set."""
    STAGES = "chosen stages", tr("stages chosen one by one")
    """No profile was named, only stages; guards and criteria are the default ones."""
    OWN_FILE = "own file", tr("OWN FILE")


def profile_origin(profile: Profile) -> ProfileOrigin:
    """Of a profile that a run is about to use: held against those that this version ships."""
    path = PROFILES / f"{profile.name}.toml"
    if not path.is_file():
        by_default = (profile.name, profile.guards, profile.criteria) == (CHOSEN_STAGES, Guards(), Criteria())
        return ProfileOrigin.STAGES if by_default else ProfileOrigin.OWN_FILE
    shipped = _shipped(path)
    if profile_digest(profile) == (digest := profile_digest(shipped)):
        return ProfileOrigin.SHIPPED
    but_for_stages = profile_digest(profile.model_copy(update={"stages": shipped.stages}))
    return ProfileOrigin.CHANGED if but_for_stages == digest else ProfileOrigin.OWN_FILE


# -- files ------------------------------------------------------------------------------------------------------------


def shipped_profiles() -> list[Profile]:
    """All profiles under assets/profiles, the shortest first."""
    return sorted((_shipped(path) for path in PROFILES.glob("*.toml")), key=lambda profile: profile.seconds)


def find_profile(name_or_path: str) -> Profile:
    """A shipped profile by name, or one from a file. Raises BadInput."""
    shipped = PROFILES / f"{name_or_path}.toml"
    if shipped.is_file():
        return _shipped(shipped)
    path = Path(name_or_path)
    if path.is_file():
        return _as_own(read_profile(path))
    names = ", ".join(sorted(path.stem for path in PROFILES.glob("*.toml")))
    fields = {"name": name_or_path, "names": names}
    raise BadInput(tr("There is no profile {name!r}. Shipped profiles: {names}; or give the path of a file.", **fields))


def _as_own(profile: Profile) -> Profile:
    """One from a file, which passes for no shipped one that an order changed: that keeps its stages' titles, and is
    told where it was shortened."""
    if profile_origin(profile) in (ProfileOrigin.SHIPPED, ProfileOrigin.OWN_FILE):
        return profile
    return profile.model_copy(update={"name": f"own-{profile.name}"})


@cache
def _shipped(path: Path) -> Profile:
    """Read once: a shipped profile does not change while the program runs."""
    return read_profile(path)


def read_profile(path: Path) -> Profile:
    """Reads a profile file, checks every stage and writes repetitions out. Raises BadInput naming file and field.

    Faults that only simulated loads can be given pass here: whether devices are simulated is known to the order.
    """
    text = read_text(path, MAX_BYTES)
    try:
        file = ProfileFile.model_validate(read_toml(text))
        file.check(simulated=True)
        return file.profile()
    except Unreadable as error:
        raise BadInput(tr("The profile {path} is not valid TOML: {error}.", path=path, error=error)) from error
    except ValidationError as error:
        field, reason = first_refusal(error, without=_TAGS)
        fields = {"path": path, "field": field, "reason": reason}
        raise BadInput(tr("The profile {path} cannot be used: {field}: {reason}.", **fields)) from error
    except BadInput as problem:
        raise BadInput(tr("The profile {path} cannot be used: {problem}", path=path, problem=problem)) from problem


def profile_schema() -> dict[str, Any]:
    """Of `rigwright profiles schema`. Each kind of stage is a case of its own, so that its parameters are known."""
    schema = ProfileFile.model_json_schema()
    definitions = schema["$defs"]
    stage = definitions[STAGE]
    stage["properties"]["kind"] = {
        "description": stage["properties"]["kind"]["description"],
        "enum": [one.kind for one in STAGES],
    }
    stage["allOf"] = [_case(one, definitions) for one in STAGES]
    return {"$schema": ADDRESS, **schema, "title": "Rigwright burn-in profile"}


def _case(stage: Stage, definitions: dict[str, Any]) -> dict[str, Any]:
    """The parameters of one kind, put among the definitions."""
    params = stage.params.model_json_schema(ref_template="#/$defs/{model}")
    definitions |= params.pop("$defs", {})
    name = f"params of {stage.kind}"
    definitions[name] = params | {"title": f"Parameters of {stage.title}", "description": stage.finds}
    return {
        "if": {"properties": {"kind": {"const": stage.kind}}, "required": ["kind"]},
        "then": {"properties": {"params": {"$ref": f"#/$defs/{name}"}}},
    }
