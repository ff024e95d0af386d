"""A card under water without its loop: nothing that is told of it counts as good."""

from core.plan.edits import AddPart
from core.predict.prediction import predict
from core.predict.speed.networks import Network
from core.predict.speed.speed import NO_LOOP, predict_speed
from tests.rules.machines import changed, good_build, part

WET = {"cooling": "water_block", "noise": [], "thermal_resistance_k_per_w": None}


def test_it_has_no_speed_and_no_temperature_and_is_not_silent() -> None:
    bare = changed(good_build(), "gpu", **WET)
    prediction = predict(bare)
    speed = predict_speed(bare, prediction.heat)
    assert prediction.heat.cards == ()
    assert speed.of(Network.CNN).rate is None
    assert all(card.rate is None for card in speed.of(Network.CNN).cards)
    assert NO_LOOP in speed.assumptions
    assert any("loop" in source.title and source.load.high > source.load.low for source in prediction.sources)


def test_with_its_radiator_it_has_all_three() -> None:
    build = AddPart(part("radiator"), 3).apply(changed(good_build(), "gpu", **WET))
    prediction = predict(build)
    assert len(prediction.heat.cards) == 4
    assert NO_LOOP not in predict_speed(build, prediction.heat).assumptions
    assert not any("loop" in source.title for source in prediction.sources)
