"""All shipped parts in all shipped machines: checked and predicted without a figure that breaks either."""

import pytest

from core.parts.part import Part
from core.plan.edits import AddPart
from core.predict.prediction import predict
from core.rules.engine import check
from tests.rotation import turn
from tests.shipped import every_part, templates

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
def test_every_shipped_part_can_be_checked_and_predicted_in_a_template(place: int) -> None:
    """Each in one, the next part in the next one, and at the next commit in others; `make soak` tries them all."""
    try_in(NAMES[place], tuple(part for n, part in enumerate(every_part()) if (place - n - turn()) % len(NAMES) == 0))


@pytest.mark.soak
@pytest.mark.parametrize("name", NAMES)
def test_every_shipped_part_can_be_checked_and_predicted_in_every_template(name: str) -> None:
    try_in(name, every_part())
