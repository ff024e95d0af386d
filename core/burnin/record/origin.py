"""What a run came from: the rules and the program that judge it, the run before it, and what its processes loaded."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, TypeVar

from core.burnin.profile.profile import Profile, profile_digest
from core.loaded_libraries import Library, Package
from core.loads.evidence import read

VARIABLES = ("LD_LIBRARY_PATH", "LD_PRELOAD", "PYTHONPATH")
"""What decides which libraries and modules the processes of a run load, beside the system's own settings."""

MOST = 20
"""Libraries, and packages, of one process that are kept."""
LONGEST = 1000
"""Letters of a path."""

_Value = TypeVar("_Value", Library, Package)


@dataclass(frozen=True, slots=True)
class Newest:
    """The newest run of an installation, whether it is still here or not."""

    run_id: int
    digest: str


@dataclass(frozen=True, slots=True)
class Origin:
    """Of one run, as its runner knew it before the first stage."""

    profile_digest: str = ""
    """Hexadecimal SHA-256 of all that the profile says."""
    program: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Those of `VARIABLES` that were set."""
    follows: int | None = None
    """Number of the newest run of the installation before it; None of the first."""
    follows_digest: str = ""
    """The last link of that run then, hexadecimal; "" of one without a chain."""

    @classmethod
    def now(cls, profile: Profile, program: str, follows: Newest | None) -> Origin:
        """Of a run that this process begins."""
        environment = {name: os.environ[name] for name in VARIABLES if os.environ.get(name)}
        before = (follows.run_id, follows.digest) if follows else (None, "")
        return cls(profile_digest(profile), program, environment, *before)

    def as_json(self) -> str:
        """As it is recorded."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, told: str) -> Origin:
        """As it was recorded."""
        return read(cls, json.loads(told))


@dataclass(frozen=True, slots=True)
class LoadedLibraries:
    """What one process of a run loaded to measure or to compute by."""

    role: str
    """"sampler" or "worker"."""
    device_id: str
    """Of a worker."""
    libraries: tuple[Library, ...]
    packages: tuple[Package, ...]

    @classmethod
    def told(cls, role: str, device_id: str, message: Mapping[str, Any]) -> LoadedLibraries:
        """As the process reported it. Whatever it says is held to its types and cut to a length."""
        return cls(
            role,
            device_id,
            tuple(_bounded(read(Library, one)) for one in _entries(message, "libraries")),
            tuple(_bounded(read(Package, one)) for one in _entries(message, "packages")),
        )

    def as_json(self) -> str:
        """What is recorded of it beside role and device."""
        return json.dumps(
            {"libraries": [asdict(one) for one in self.libraries], "packages": [asdict(one) for one in self.packages]},
            sort_keys=True,
        )

    @classmethod
    def from_json(cls, role: str, device_id: str, told: str) -> LoadedLibraries:
        """As it was recorded."""
        return cls.told(role, device_id, json.loads(told))


def _entries(message: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    told = message.get(name)
    return [one for one in told if isinstance(one, dict)][:MOST] if isinstance(told, list) else []


def _bounded(value: _Value) -> _Value:
    return replace(value, **{one.name: getattr(value, one.name)[:LONGEST] for one in fields(value)})
