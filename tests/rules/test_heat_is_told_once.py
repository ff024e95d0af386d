"""What heat takes from cards is told once, with the figure of the prediction; no warning where nothing is lost."""

import pytest

from core.plan.build import Build
from core.predict.conditions import Conditions
from core.predict.prediction import predict
from core.rules.engine import answers
from core.rules.finding import Finding, Status
from tests.predict.thermal.test_blowers import tower
from tests.rules.machines import changed, good_build, part, with_line

OF_HEAT = ("card-temperature", "card-gap")


def heat_findings(build: Build, room_c: float = 25.0) -> list[Finding]:
    """Warnings about warm cards."""
    prediction = predict(build, Conditions(room_c=room_c))
    return [
        one for one in answers(build, prediction) if one.rule in OF_HEAT and one.status in (Status.WARN, Status.FAIL)
    ]


def test_cards_that_stand_too_close_are_reported_in_one_finding_with_the_predictions_figure() -> None:
    build = changed(good_build(), "gpu", cooling="open_air")
    [finding] = heat_findings(build)
    [held] = predict(build).throttled
    assert finding.rule == "card-gap"
    assert [one.status for one in answers(build) if one.rule == "slot-heat"] == [Status.PASS]
    assert f"{held.least_w:.0f} to {held.most_w:.0f} W here: the slowest at {100 * held.speed.expected:.0f} %" in (
        finding.message
    )


@pytest.mark.parametrize(("limit_w", "status"), [(200, Status.NOTE), (201, Status.WARN)])
def test_cards_held_to_what_neighbours_bear_are_a_hint_before_anything_is_predicted(
    limit_w: float, status: Status
) -> None:
    build = changed(good_build(), "gpu", cooling="open_air", power_limit_w=limit_w)
    assert [one.status for one in answers(build) if one.rule == "card-gap"] == [status]


def test_cards_that_are_warm_for_another_cause_are_reported_in_one_finding() -> None:
    build = changed(good_build(), "gpu", thermal_resistance_k_per_w=0.25)
    [finding] = heat_findings(build)
    [held] = predict(build).throttled
    assert finding.rule == "card-temperature"
    assert finding.message.startswith(f"{held.sentence}. ")


def test_a_card_apart_that_is_warm_is_reported_beside_a_crowded_pair() -> None:
    pair = changed(good_build(), "gpu", cooling="open_air")
    pair = with_line(pair, part("gpu", cooling="open_air"), 2, (1, 3))
    alone = part("gpu", suffix="-2", thermal_resistance_k_per_w=0.3)
    slots = {finding.rule: finding.slots for finding in heat_findings(with_line(pair, alone, 1, (7,)))}
    assert slots == {"card-gap": (1,), "card-temperature": (7,)}


@pytest.mark.parametrize(
    ("card", "count"),
    [
        ("gigabyte-rtx-3090-turbo-24g", 4),
        ("gigabyte-rtx-3090-turbo-24g", 1),
        ("manli-rtx-4090-blower", 4),
        ("nvidia-rtx-a6000", 4),
        ("nvidia-rtx-pro-6000-blackwell-max-q", 4),
        ("asus-turbo-gtx-1080-ti-11g", 4),
        ("zotac-rtx-3090-arcticstorm", 4),
    ],
)
def test_blowers_and_cards_with_a_block_of_their_own_may_stand_side_by_side(card: str, count: int) -> None:
    assert heat_findings(tower(card, count)) == []
