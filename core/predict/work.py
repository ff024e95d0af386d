"""What a machine does all day: the rate at which it does it, and that of a rented card at the same work."""

from __future__ import annotations

from dataclasses import dataclass

from core.parts.chips import one_chip
from core.parts.part import Part
from core.platform.json_value import JsonValue
from core.predict.band import Band
from core.predict.llm.prediction import ModelPrediction, predict_card
from core.predict.speed.card_speed import card_rate
from core.predict.speed.networks import Network
from core.predict.speed.speed import NetworkSpeed
from core.words import tr


@dataclass(frozen=True, slots=True)
class Work(JsonValue):
    """Rates are in `counted` per second; None where they cannot be predicted."""

    title: str
    counted: str
    """What there is a million of: tokens, images."""
    rate: Band | None
    trains: bool
    rented: Band | None = None
    """None, too, where nobody says which card is rented."""
    rented_title: str = ""


def training_work(speed: NetworkSpeed, rented: Part | None = None) -> Work:
    """The training of a reference network. Pure."""
    network = speed.network
    counted = tr("images") if network is Network.CNN else tr("tokens")
    other = card_rate(one_chip(rented), network).rate if rented else None
    return Work(network.label, counted, speed.rate, True, other, rented.title if rented else "")


def model_work(prediction: ModelPrediction, rented: Part | None = None) -> Work:
    """Work with a language model: new tokens of all its users together, or tokens trained on. Pure."""
    workload = prediction.workload
    other = predict_card(rented, workload).rate if rented else None
    trains = workload.method.trains
    return Work(workload.words, tr("tokens"), prediction.rate, trains, other, rented.title if rented else "")
