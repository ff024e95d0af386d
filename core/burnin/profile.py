"""A burn-in profile: stages, guards and criteria, read from a TOML file."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import BadInput
from core.paths import ASSETS

PROFILES = ASSETS / "profiles"

Seconds = Annotated[float, Field(gt=0, le=7 * 24 * 3600)]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class StageSettings(_Model):
    """One stage of the run."""

    kind: Literal["preflight", "idle", "gemm", "transformer", "cooldown"]
    seconds: Seconds
    params: dict[str, int | float | str | bool] = {}
    """Parameters of the load; each load checks its own."""


class Guards(_Model):
    """When the runner stops loads by itself."""

    temperature_c: Annotated[float, Field(gt=30, le=120)] | None = None
    """Own limit. Without it the device's slowdown temperature holds, where it is known."""
    temperature_for_s: Seconds = 5
    heartbeat_timeout_s: Seconds = 30
    telemetry_timeout_s: Seconds = 10
    free_disk_mb: Annotated[float, Field(ge=0)] = 200


class Criteria(_Model):
    """What the verdict asks for."""

    max_errors: Annotated[int, Field(ge=0)] = 0
    margin_warn_c: Annotated[float, Field(ge=0)] = 5
    """WARN when the hottest sample came closer than this to the slowdown temperature."""
    slower_than_best_warn_pct: Annotated[float, Field(gt=0, lt=100)] = 3
    slower_than_best_fail_pct: Annotated[float, Field(gt=0, lt=100)] = 10
    """Against the best device of the same model in the same stage."""


class Profile(_Model):
    """A named list of stages with its guards and criteria."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    title: str
    description: str = ""
    stages: Annotated[tuple[StageSettings, ...], Field(min_length=1)]
    guards: Guards = Guards()
    criteria: Criteria = Criteria()

    @property
    def seconds(self) -> float:
        """Planned duration of all stages."""
        return sum(stage.seconds for stage in self.stages)

    def stretched(self, minutes: float) -> Profile:
        """The same stages over another total time; preflight keeps its length."""
        fixed = sum(stage.seconds for stage in self.stages if stage.kind == "preflight")
        factor = (minutes * 60 - fixed) / max(self.seconds - fixed, 1e-9)
        if factor <= 0:
            raise BadInput(f"{minutes:g} minutes are too short: the preflight alone takes {fixed:.0f} s.")
        stages = tuple(
            stage if stage.kind == "preflight" else stage.model_copy(update={"seconds": stage.seconds * factor})
            for stage in self.stages
        )
        return self.model_copy(update={"stages": stages})


def shipped_profiles() -> list[Profile]:
    """All profiles under assets/profiles."""
    return [read_profile(path) for path in sorted(PROFILES.glob("*.toml"))]


def find_profile(name_or_path: str) -> Profile:
    """A shipped profile by name, or one from a file. Raises BadInput."""
    shipped = PROFILES / f"{name_or_path}.toml"
    if shipped.is_file():
        return read_profile(shipped)
    path = Path(name_or_path)
    if path.is_file():
        return read_profile(path)
    names = ", ".join(sorted(path.stem for path in PROFILES.glob("*.toml")))
    raise BadInput(f"There is no profile {name_or_path!r}. Shipped profiles: {names}; or give the path of a file.")


def read_profile(path: Path) -> Profile:
    """Reads and validates a profile file. Raises BadInput naming file and field."""
    try:
        return Profile.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise BadInput(f"The profile {path} cannot be opened: {error.strerror}.") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadInput(f"The profile {path} is not valid TOML: {error}.") from error
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(step) for step in first["loc"])
        raise BadInput(f"The profile {path} cannot be used: {field}: {first['msg']}.") from error
