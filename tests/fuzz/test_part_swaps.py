"""Every part in every template: a rotating share in `make soak`, all of them with SWAPS=all (hours)."""

import os
import time
from contextlib import suppress

import pytest

from core.parts.compute import GpuSpec
from core.parts.vocabulary import GpuForm
from core.plan.edits import SwapPart
from core.platform.errors import RigwrightError
from core.predict.speed.networks import Network
from core.predict.speed.speed import predict_speed
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


def test_every_module_in_every_template_has_a_speed_or_a_reason_for_none() -> None:
    """On boards for others of another kind, too."""
    forms = []
    for swap in every_swap():
        if not isinstance(swap.new.spec, GpuSpec) or swap.new.spec.form is GpuForm.PCIE_CARD:
            continue
        with suppress(RigwrightError):
            build = SwapPart(swap.old, swap.new).apply(templates()[swap.template])
            speed = predict_speed(build, networks=[Network.CNN])
            assert speed.networks[0].rate is not None or speed.missing or speed.networks[0].reasons, swap
            forms.append(swap.new.spec.form)
    assert forms.count(GpuForm.OAM) > len(templates())
    assert forms.count(GpuForm.SXM) > len(templates())


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
