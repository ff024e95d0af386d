"""Every part in every template: a rotating share in `make soak`, all of them with SWAPS=all (hours)."""

from __future__ import annotations

import os
import time

import pytest

from tests.fuzz.part_swaps import compute, every_swap, sample
from tests.shipped import every_part, templates

SHARE = 1000


def test_every_template_and_every_category_that_templates_have_is_swept() -> None:
    swaps = every_swap()
    assert {swap.template for swap in swaps} == set(templates())
    of_templates = {line.part.category for build in templates().values() for line in build.lines}
    assert {id_ for swap in swaps for id_ in (swap.old, swap.new.id)} == {
        part.id for part in every_part() if part.category in of_templates
    }
    assert len({str(swap) for swap in swaps}) == len(swaps)


def test_samples_add_up_to_all() -> None:
    step = len(every_swap()) // SHARE
    seen = {str(swap) for seed in range(step) for swap in sample(seed, SHARE)}
    assert len(seen) >= step * SHARE


@pytest.mark.soak
@pytest.mark.timeout(60 * 60 * 24)
def test_a_swapped_part_is_computed_or_refused() -> None:
    swaps = every_swap() if os.environ.get("SWAPS") == "all" else sample(time.time_ns() // 10**9, SHARE)
    for swap in swaps:
        try:
            compute(swap)
        except Exception as error:
            error.add_note(f"swapped: {swap}")
            raise
