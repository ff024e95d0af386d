"""Nothing is decided by words: a plan gets the same findings, prediction, fixes and fits whatever its messages say.

Noise (tests/noise.py) is spoken in the place of English by all who judge and predict.
"""

from __future__ import annotations

from typing import Any

import pytest

from core.advise.fits import WhatFits
from core.advise.fixes import fixes
from core.advise.trial import TROUBLED
from core.assessment import Assessment
from core.parts.catalogue import Catalogue
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.predict.conditions import Conditions
from tests.noise import noisy
from tests.rotation import share
from tests.shipped import shipped_of, templates

FIXED = 4
"""Findings of a build whose fixes are compared."""
FITTED = 12
"""Parts of a category that are tried in a build."""


def decided(build: Build, catalogue: Catalogue) -> dict[str, Any]:
    """All that is decided about a plan, without a word of it."""
    assessment = Assessment(build, Conditions())
    troubled = [finding for finding in assessment.findings if finding.status in TROUBLED]
    prediction = assessment.prediction
    what_fits = WhatFits(build, Category.GPU, catalogue)
    return {
        "findings": [
            (one.rule, one.status, one.parts, one.slots, one.measured, one.limit, one.missing, one.checked, one.waiting)
            for one in assessment.findings
        ],
        "prediction": [
            (band.low, band.expected, band.high)
            for band in (
                *prediction.wall_w.values(),
                prediction.noise_idle,
                prediction.noise_load,
                prediction.heat.case_air_c,
                *(card.temperature_c for card in prediction.heat.cards),
                *(network.rate for network in assessment.speed.networks),
            )
            if band is not None
        ],
        "throttled": [card.kept_share for card in prediction.heat.cards],
        "fixes": [
            (finding.rule, [(fix.order, len(fix.buys)) for fix in fixes(build, finding, catalogue)])
            for finding in troubled[:FIXED]
        ],
        "fits": [(part.id, what_fits.verdict(part.id).state) for part in shipped_of(Category.GPU)[:FITTED]],
    }


@pytest.mark.parametrize("name", share(sorted(templates()), 4, rest=pytest.mark.soak))
def test_a_plan_in_noise_is_judged_as_one_in_english(name: str, catalogue: Catalogue) -> None:
    build = templates()[name]
    in_english = decided(build, catalogue)
    assert in_english["findings"] and in_english["fits"]
    with noisy(in_place_of_english=True):
        finding = Assessment(build, Conditions()).findings[0]
        assert ":" in finding.message and not finding.message.endswith("."), "it is noise"
        assert decided(build, catalogue) == in_english
