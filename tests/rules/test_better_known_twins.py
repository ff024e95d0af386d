"""A part for its twin of which more is known: FAIL follows from figures, never from silence."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from core.parts.part import Part
from core.plan.build import Build
from core.plan.edits import SwapPart
from core.predict.prediction import predict
from core.rules.engine import check
from core.rules.finding import Status
from tests.rules.machines import changed, good_build, part, with_line
from tests.rules.random_builds import random_build
from tests.rules.test_real_machines import MACHINES
from tests.shipped import parts_by_id, templates

FORGOTTEN = 4
"""Figures of a part that the lesser twin lacks, at most."""
FIRST_ATTEMPT = "six-rtx-3090-first-attempt"
"""The template of a machine that does not work."""
Twins = tuple[Build, Part, Part]
WORKING = [machine for machine in MACHINES if machine.works and not machine.waits]

machines_that_work = st.one_of(
    st.sampled_from([good_build(), *(build for name, build in templates().items() if name != FIRST_ATTEMPT)]),
    st.sampled_from(WORKING).map(lambda machine: machine.build(parts_by_id())),
)
any_machine = st.one_of(machines_that_work, st.integers(0, 10_000).map(lambda seed: random_build(Random(seed))))


def failures(build: Build) -> Counter[str]:
    return Counter(one.rule for one in check(build, predict(build)) if one.status is Status.FAIL)


def lesser_twin(better: Part, names: Iterable[str]) -> Part:
    """The same part under another id, without these figures."""
    blank = better.spec.model_copy(update=dict.fromkeys(names))
    return better.model_copy(update={"id": f"{better.id}-twin", "spec": blank})


def forgettable(whole: Part) -> list[str]:
    fields = type(whole.spec).model_fields.items()
    return [name for name, field in fields if field.default is None and getattr(whole.spec, name) is not None]


@st.composite
def twins(draw: st.DrawFn, machines: st.SearchStrategy[Build]) -> Twins:
    """A machine, one of its parts, and the twin of which less is known."""
    build = draw(machines.filter(lambda build: any(forgettable(line.part) for line in build.lines)))
    better = draw(st.sampled_from([line.part for line in build.lines if forgettable(line.part)]))
    names = draw(st.lists(st.sampled_from(forgettable(better)), min_size=1, max_size=FORGOTTEN, unique=True))
    return build, better, lesser_twin(better, names)


def with_twin(build: Build, complete: Part, twin: Part) -> Build:
    """The machine as it is, but for what is known of the part."""
    lines = (replace(line, part=twin) if line.part == complete else line for line in build.lines)
    return build.with_lines(tuple(lines))


@given(twins(machines_that_work))
def test_a_twin_that_is_known_better_adds_no_failure_to_a_machine_that_works(case: Twins) -> None:
    build, complete, twin = case
    lesser = with_twin(build, complete, twin)
    better = SwapPart(twin.id, complete).apply(lesser)
    assert not failures(better) - failures(lesser)


def test_a_carrier_beside_cards_in_slots_that_nobody_knows_hides_no_overlap() -> None:
    build = with_line(changed(good_build(), "motherboard", slots=None), part("gpu", width_slots=3), 2, (1, 2))
    assert failures(build)["slot-overlap"] == failures(with_line(build, part("carrier"), 1))["slot-overlap"] == 1


@given(twins(any_machine))
def test_what_fails_though_less_is_known_fails_with_all_known(case: Twins) -> None:
    build, complete, twin = case
    assert set(failures(with_twin(build, complete, twin))) <= set(failures(build))
