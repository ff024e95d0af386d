"""The shipped builds, by what they are for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.plan.file_name import SUFFIX
from core.platform.foreign import read_json, read_toml
from core.platform.paths import ASSETS
from core.words import translated

TEMPLATES = ASSETS / "templates"
PURPOSES = TEMPLATES / "purposes.toml"


@dataclass(frozen=True, slots=True)
class Template:
    """A shipped build."""

    name: str
    """Of its file, without the ending; taken by commands in a file's place."""
    purpose: str
    """What it is for, in a line."""

    @property
    def path(self) -> Path:
        """Its file."""
        return TEMPLATES / f"{self.name}{SUFFIX}"

    @property
    def title(self) -> str:
        """The name of its build, in the language of who chooses it; the build itself keeps the English one."""
        name = read_json(self.path.read_text(encoding="utf-8"))["name"]
        assert isinstance(name, str)
        return translated(name)


@dataclass(frozen=True, slots=True)
class TemplateGroup:
    """Templates of one purpose."""

    title: str
    templates: tuple[Template, ...]


@cache
def template_groups() -> tuple[TemplateGroup, ...]:
    """All shipped builds, in the order in which they are offered."""
    stored = read_toml(PURPOSES.read_text(encoding="utf-8"))
    return tuple(
        TemplateGroup(
            translated(group["title"]),
            tuple(Template(name, translated(purpose)) for name, purpose in group["templates"].items()),
        )
        for group in stored["groups"]
    )


@cache
def usual_parts() -> frozenset[str]:
    """The ids of the parts of those shipped builds that people would build today."""
    today = read_toml(PURPOSES.read_text(encoding="utf-8"))["today"]
    paths = (Template(name, "").path for name in today)
    return frozenset(line["part"] for path in paths for line in read_json(path.read_text(encoding="utf-8"))["lines"])


def all_templates() -> tuple[Template, ...]:
    """The shipped builds without their groups."""
    return tuple(template for group in template_groups() for template in group.templates)
