"""What templates say of language models is what is predicted of them."""

import re

from core.assessment import Assessment
from core.plan.templates import all_templates
from core.predict.speed.memory_fit import Fits
from tests.shipped import templates


def test_a_template_holds_the_model_that_its_purpose_names() -> None:
    named = {one.name: size[1] for one in all_templates() if (size := re.search(r"holds (\d+B) in 4 bit", one.purpose))}
    assert len(named) == 3
    builds = templates()
    for template, size in named.items():
        held = [one.workload.model.title for one in Assessment(builds[template]).usual_models if one.fits is Fits.YES]
        assert any(size in title for title in held), (template, held)
