"""The one figure of each section, as the list of sections has room for. Qt-free but for translation."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from core.assessment import Assessment
from core.predict.prediction import Prediction
from core.predict.speed.networks import Network
from gui.planner.figures import middle, number
from gui.predict.limits import limits_words

translate = QCoreApplication.translate


def headlines(known: Assessment) -> dict[str, str]:
    """By section; those without one figure are left out."""
    prediction = known.prediction
    hottest = prediction.heat.hottest
    found = {
        "power": f"{middle(prediction.wall_w[prediction.conditions.load])} W",
        "temperature": _temperature(prediction) if hottest else "",
        "noise": f"{middle(prediction.noise_load)} dBA",
        "energy": translate("Headlines", "{kwh} kWh a day").format(kwh=middle(prediction.energy_kwh_per_day)),
    }
    speed = known.speed.of(Network.CNN)
    if speed.cards and speed.rate:
        found["speed"] = f"{middle(speed.rate)} {speed.network.unit}"
    limits = limits_words(known.build)
    if limits:
        found["limit"] = limits
    if known.build.calibration:
        found["calibration"] = known.build.calibration.run
    if prediction.missing:
        found["basis"] = translate("Headlines", "{count} unknown").format(count=len(prediction.missing))
    return {key: words for key, words in found.items() if words}


def _temperature(prediction: Prediction) -> str:
    """The hottest card; the speed that is left where heat holds cards back."""
    hottest = prediction.heat.hottest
    assert hottest is not None
    warm = f"{middle(hottest.temperature_c)} °C"
    if not prediction.held:
        return warm
    speed = number(round(100 * prediction.held[0].speed.expected))
    return translate("Headlines", "{warm}, {speed} % speed").format(warm=warm, speed=speed)
