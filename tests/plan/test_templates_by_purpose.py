"""Every shipped build is offered once, under a purpose, with a line about it."""

import tomllib

from core.plan.file_name import SUFFIX
from core.plan.templates import PURPOSES, TEMPLATES, all_templates, template_groups

LONGEST = 60
"""Characters that a button of the start page shows in one or two lines."""


def test_every_template_has_one_purpose_and_every_purpose_a_template() -> None:
    named = [template.name for template in all_templates()]
    assert sorted(named) == sorted(path.name.removesuffix(SUFFIX) for path in TEMPLATES.glob(f"*{SUFFIX}"))


def test_purposes_are_short_and_titles_are_those_of_the_builds() -> None:
    for template in all_templates():
        assert 10 <= len(template.purpose) <= LONGEST
        assert template.title in template.path.read_text(encoding="utf-8")
    assert len({group.title for group in template_groups()}) == len(template_groups()) >= 5


def test_the_list_of_purposes_says_nothing_that_is_not_read() -> None:
    """The window reads it without checking it, so that it opens sooner."""
    purposes = tomllib.loads(PURPOSES.read_text(encoding="utf-8"))
    assert purposes.keys() == {"today", "groups"}
    assert set(purposes["today"]) <= {template.name for template in all_templates()}
    for group in purposes["groups"]:
        assert group.keys() == {"title", "templates"}
        assert all(isinstance(word, str) for word in (group["title"], *group["templates"].values()))
