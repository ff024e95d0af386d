"""All shipped parts in all shipped machines: checked and predicted without a figure that breaks either."""

from __future__ import annotations

import pytest

from core.build.edits import AddPart
from core.parts.part import Part
from core.predict.prediction import predict
from core.rules.engine import check
from tests.shipped import every_part, templates

OF_EACH_PART = 2
"""Templates that a commit tries each part in, others for the next part; `make soak` tries them all, for minutes."""
NAMES = tuple(templates())


def try_in(name: str, parts: tuple[Part, ...]) -> None:
    build = templates()[name]
    for part in parts:
        if build.line(part.id) is None:
            changed = AddPart(part).apply(build)
            prediction = predict(changed)
            assert check(changed, prediction)
            assert prediction.noise_load.high >= 0


@pytest.mark.parametrize("place", range(len(NAMES)), ids=NAMES)
def test_every_shipped_part_can_be_checked_and_predicted_in_two_templates(place: int) -> None:
    turn = len(NAMES)
    try_in(NAMES[place], tuple(p for n, p in enumerate(every_part()) if (place - n) % turn < OF_EACH_PART))


@pytest.mark.soak
@pytest.mark.parametrize("name", NAMES)
def test_every_shipped_part_can_be_checked_and_predicted_in_every_template(name: str) -> None:
    try_in(name, every_part())
