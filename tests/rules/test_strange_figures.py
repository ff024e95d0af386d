"""Whatever figures the parts of a readable build file have, it is checked and predicted without an error."""

import json
from collections.abc import Iterator
from itertools import islice, repeat
from random import Random
from typing import Any

import pytest

from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.file import dump_build, parse_build
from core.platform.errors import BadInput
from core.predict.prediction import predict
from core.rules.engine import check
from tests.rules.random_builds import random_build

NUMBERS = (1e-9, 0.001, 0.1, 1, 2, 3, 5, 7, 10, 24, 100, 1e7)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    for key in value if isinstance(value, dict) else range(len(value)):
        if key != "category":
            yield value, key
            if isinstance(value[key], (dict, list)):
                yield from _places(value[key])


def _disturb(random: Random, spec: dict[str, Any]) -> None:
    """One figure becomes another of its kind, or goes."""
    places = list(_places(spec))
    if not places:
        return
    holder, key = random.choice(places)
    match holder[key]:
        case bool() as value:
            holder[key] = not value
        case int() | float() as value:
            holder[key] = random.choice((*NUMBERS, value * 10, value / 10, -value, 0))
        case list() as value:
            value[:] = random.choice(([], value * 2, value[::-1], value[:1]))
        case _ if isinstance(holder, dict):
            del holder[key]


def _strange(random: Random) -> Build | None:
    """A build with one to four strange parts; None where the reader refuses it."""
    raw = json.loads(dump_build(random_build(random)))
    parts = list(raw["parts"].values())
    for part in random.sample(parts, min(len(parts), random.randint(1, 4))):
        _disturb(random, part["spec"])
    try:
        return parse_build(json.dumps(raw), {}.get)
    except BadInput:
        return None


@pytest.mark.parametrize("seed", range(8))
def test_a_build_that_can_be_read_can_be_checked(seed: int) -> None:
    random = Random(seed)
    for build in islice(filter(None, map(_strange, repeat(random, 100))), 6):
        assert check(build, predict(build)), dump_build(build)


def test_a_cooler_without_any_mount_fits_no_socket() -> None:
    random = Random(1)
    while not (build := random_build(random)).of(Category.CPU_COOLER) or not build.of(Category.CPU):
        pass
    raw = json.loads(dump_build(build))
    for part in raw["parts"].values():
        if part["spec"]["category"] == "cpu_cooler":
            part["spec"]["sockets"] = []
    findings = [one for one in check(parse_build(json.dumps(raw), {}.get)) if one.rule == "cooler-socket"]
    assert [one.status for one in findings if "mounts on nothing" in one.message]
