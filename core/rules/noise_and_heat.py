"""What the machine does to the room and to itself: noise, heat, and cards that slow down for their temperature."""

from __future__ import annotations

from core.parts.part import Part
from core.parts.vocabulary import CaseKind, Category, GpuCooling
from core.predict.band import Band
from core.predict.conditions import LoadCase
from core.predict.noise.acoustics import SERVER, words
from core.predict.noise.noise import NOISE_READS
from core.predict.power import BTU_PER_HOUR_PER_W, WALL_READS
from core.predict.prediction import Prediction
from core.predict.thermal.heat import HEAT_READS
from core.rules.adjacent_gpus import crowded, throttled_among
from core.rules.changes import COOLER_CARDS, OTHER_COOLER, OTHER_PSU, OWN_RADIATOR, Move
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.rule import Answer, Reader, Rule
from core.words import joined, listed, tr, trn

LOUD_DBA, MOST_DBA = 45.0, 55.0
"""Sound at desk work: good up to 45, permissible up to 55 dBA (BAuA 2003; ASR A3.7)."""
MILD_W, MOST_W = 500.0, 2000.0
"""A closed room of 40 m3 loses 50 to 150 W per kelvin: 5 K and 20 K at 100 W/K."""
KEPT = 0.95
"""A card that keeps less of its power than this is said to throttle."""
SPEED_KEPT, NEARLY_ALL_KEPT = 0.97, 0.99
"""A loss of speed beyond 3 % is a warning, one below 1 % nobody notices."""


def _in_training(read: Reader, machine: RuleContext) -> Answer:
    prediction = _prediction(machine)
    return _loudness(read, machine, prediction.noise_load, tr("in training, {where}", where=_where(prediction)))


def _at_idle(read: Reader, machine: RuleContext) -> Answer:
    prediction = _prediction(machine)
    return _loudness(read, machine, prediction.noise_idle, tr("at idle, {where}", where=_where(prediction)))


def _loudness(read: Reader, machine: RuleContext, level: Band, when: str) -> Answer:
    read.lacking(level.missing)
    word = words(level.expected)
    if word is SERVER:
        word = tr("as loud as a server")
    fields = {"expected": level.expected, "low": level.low, "high": level.high, "when": when, "word": word}
    level_words = tr("{expected:.0f} dBA ({low:.0f} to {high:.0f}) {when}: {word}", **fields)
    if level.expected > MOST_DBA:
        fields = {"said": level_words, "most_dba": MOST_DBA}
        message = tr("{said}. Too loud to work next to: above {most_dba:.0f} dBA is too much for desk work.", **fields)
        return Answer(Status.WARN, message, level.expected, MOST_DBA, "dBA")
    status = Status.PASS if level.expected <= LOUD_DBA or _is_away(machine) else Status.NOTE
    return Answer(status, tr("{said}.", said=level_words), level.expected, MOST_DBA, "dBA")


def _is_away(machine: RuleContext) -> bool:
    """Whether its kind of case says that nobody works beside it, or that its maker settled its sound."""
    kind = machine.case_kind
    return kind in (CaseKind.RACK, CaseKind.SYSTEM)


def _temperature(read: Reader, machine: RuleContext) -> Answer:
    """The card that keeps the least of its power. Cards that stand too close are judged by `card-gap`, in one place."""
    prediction = _prediction(machine)
    crowded_cards = crowded(machine)
    cards = [card for card in prediction.heat.cards if (card.part_id, card.number) not in crowded_cards]
    if not cards:
        if machine.unit.issuperset(line.part.id for line in machine.lines(Category.GPU)):
            message = tr("{case} is sold complete: its maker takes care of cooling.", case=read.case.title)
            return Answer(Status.PASS, message)
        if passive := _passive(machine):
            read.about(*passive)
            names = listed([part.title for part in passive])
            message = trn(
                "No temperature is predicted: {names} has no fan, see card-passive.",
                "No temperature is predicted: {names} have no fan, see card-passive.",
                names=names,
                count=len(passive),
            )
            return Answer(Status.PASS, message)
        return _nothing_predicted(prediction, bool(crowded_cards))
    card = min(cards, key=lambda one: (one.kept_share, -one.temperature_c.expected))
    read.lacking((*card.temperature_c.missing, *card.power_w.missing))
    band = card.temperature_c
    at = (card.slot,) if card.slot else ()
    name = tr("{card} in slot {slot}", card=card.title, slot=card.slot) if card.slot else card.title
    warm = tr(
        "{name} reaches {expected:.0f} °C ({low:.0f} to {high:.0f}) in a room of {room_c:.0f} °C",
        name=name,
        expected=band.expected,
        low=band.low,
        high=band.high,
        room_c=prediction.conditions.room_c,
    )
    if card.kept_share < KEPT:
        held = next(iter(throttled_among(machine, frozenset((one.part_id, one.number) for one in cards))), None)
        lost = tr("{warm} and runs at {expected:.0f} W.", warm=warm, expected=card.power_w.expected)
        if held:
            lost = tr("{sentence}. {warm}.", sentence=held.sentence, warm=warm)
        speed = held.speed.expected if held else 0.0
        status = Status.PASS if speed >= NEARLY_ALL_KEPT else Status.NOTE if speed >= SPEED_KEPT else Status.WARN
        return Answer(status, lost, card.power_w.expected, card.asked_w, "W", at)
    if card.least_kept_share < KEPT:
        status = Status.PASS if card.kept_share >= NEARLY_ALL_KEPT else Status.NOTE
        message = tr("{warm}; at the high end it throttles.", warm=warm)
        return Answer(status, message, band.expected, unit="°C", slots=at)
    return Answer(Status.PASS, tr("{warm} and keeps its power.", warm=warm), band.expected, unit="°C", slots=at)


def _passive(machine: RuleContext) -> list[Part]:
    """The cards, where all of them need a duct that the builder makes, which `card-passive` tells."""
    parts = [line.part for line in machine.lines(Category.GPU)]
    fanless = all(getattr(part.spec, "cooling", None) is GpuCooling.PASSIVE for part in parts)
    return parts if machine.case and fanless else []


def _nothing_predicted(prediction: Prediction, crowded_ones: bool) -> Answer:
    if crowded_ones and prediction.heat.cards:
        return Answer(Status.PASS, tr("Every card is adjacent to another: card-gap says what that costs."))
    why = joined(prediction.heat.unknown) or tr("the build has no card whose temperature could be predicted.")
    return Answer(Status.NOTE, tr("No temperature is predicted: {why}", why=why))


def _room(read: Reader, machine: RuleContext) -> Answer:
    read.all(*drawing(machine))
    band = _prediction(machine).wall_w[LoadCase.TRAINING]
    read.lacking(band.missing)
    fields = {"expected": band.expected, "btu_per_hour": band.expected * BTU_PER_HOUR_PER_W}
    heat = tr("Training puts {expected:.0f} W ({btu_per_hour:.0f} BTU/h) into the room", **fields)
    if band.expected > MOST_W:
        message = tr(
            "{heat}: a closed room gets 20 K warmer and more; plan air conditioning or a way out for the hot air.",
            heat=heat,
        )
        return Answer(Status.WARN, message, band.expected, MOST_W, "W")
    message = tr("{heat}.", heat=heat)
    if band.expected > MILD_W:
        message = tr("{heat}, like a fan heater: keep a door or window open.", heat=heat)
    return Answer(Status.PASS, message, band.expected, MOST_W, "W")


def drawing(machine: RuleContext) -> list[tuple[Part, str]]:
    """The figures that decide what a machine draws in training."""
    gpus = [(line.part, "power_limit_w") for line in machine.lines(Category.GPU) if line.power_limit_w is None]
    return [*gpus, *((line.part, "sustained_power_w") for line in machine.lines(Category.CPU))]


def _prediction(machine: RuleContext) -> Prediction:
    assert machine.prediction is not None
    return machine.prediction


def _where(prediction: Prediction) -> str:
    return tr("{distance_m:g} m away", distance_m=prediction.conditions.distance_m)


_NEEDED = (Category.GPU,)
_LIMITS = (
    "W. Probst, BAuA 2003, and ASR A3.7: up to 40 dBA very good, above 55 dBA too much for desk work; the level is a "
    "prediction in free space"
)

ROOM_RULES = (
    Rule(
        "noise-training",
        tr("Noise in training"),
        tr("Predicted level at the listener <= 55 dBA; up to 40 dBA is comfortable to work next to."),
        _LIMITS,
        _in_training,
        _NEEDED,
        predicted=True,
        gravest=Status.WARN,
        reads=NOISE_READS,
        fixes=(Move.SLOWER_FANS, Move.LIMIT_POWER, OWN_RADIATOR, OTHER_COOLER, Move.FEWER_CARDS),
    ),
    Rule(
        "noise-idle",
        tr("Noise at idle"),
        tr("Predicted level at the listener <= 55 dBA; up to 40 dBA is comfortable to work next to."),
        _LIMITS,
        _at_idle,
        _NEEDED,
        predicted=True,
        gravest=Status.WARN,
        reads=NOISE_READS,
        fixes=(Move.SLOWER_FANS, OTHER_COOLER, OTHER_PSU, Move.FEWER_CARDS),
    ),
    Rule(
        "card-temperature",
        tr("Card temperature"),
        tr(
            "At its target temperature a card lowers its power to stay there; 3 % less speed is a warning. Open-air "
            "cards without an empty slot between them are judged under air between the cards."
        ),
        "the temperature prediction: blowers side by side as measured; case air is not confirmed",
        _temperature,
        _NEEDED,
        predicted=True,
        confirmed=False,
        gravest=Status.WARN,
        reads=HEAT_READS,
        fixes=COOLER_CARDS,
    ),
    Rule(
        "heat-room",
        tr("Heat into the room"),
        tr("All power ends up as heat: W x 3.412 = BTU/h. A closed room of 40 m³ loses 50 to 150 W per kelvin."),
        "usual room figures, not confirmed",
        _room,
        _NEEDED,
        predicted=True,
        confirmed=False,
        gravest=Status.WARN,
        reads=WALL_READS,
        fixes=(Move.LIMIT_POWER, Move.FEWER_CARDS),
    ),
)
