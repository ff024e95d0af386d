"""Why a parameter is not fitted, one sentence or two for each cause, with what would tell it."""

from collections.abc import Sequence

from core.lab.calibrate.bench import CardGroup
from core.lab.calibrate.measurements import STEADY_K
from core.lab.calibrate.outcome import Parameter, ParameterKind
from core.words import tr

NO_CARDS = tr("No temperature is calibrated: no card was measured.")
NO_ROOM = tr(
    "No temperature is calibrated: the room temperature is not known, and every kelvin of it "
    "would be attributed to the coolers. Measure the intake air of the machine and give it "
    "with {--room}."
)
ONE_CARD = tr("The coupling of adjacent cards is not fitted: one card alone cannot show how they heat each other.")
NO_NEIGHBOUR = tr("The coupling of adjacent cards is not fitted: no measured card is within two free slots of another.")
NEIGHBOURS_LEFT_OUT = tr("The coupling of adjacent cards is not fitted: the cards next to others are left out.")
WHICH_SLOT = tr(
    "The coupling of adjacent cards is not fitted: which measured card is in which slot is not known. Give {--slots}."
)
NO_FLOW = tr("The flow through the case is not fitted: the machine is an open frame, without a case to guide its air.")
NO_WATER = tr("The measured coolant is left out: none of the measured cards is water-cooled.")
NO_SOUND = tr(
    "The level is not fitted: there is no sound reading. Give one with {--sound}, {--distance} and {--background}."
)
NO_SLOPE = tr(
    "How the level follows the fan speed is not fitted: that takes two readings in a "
    "measurement file, one at a fan speed at least a quarter higher."
)
WALL_NOT_FITTED = tr(
    "Nothing is fitted to the power at the wall: what the cards do not draw of it is shared by the rest of the machine "
    "and the losses of the PSUs, and one figure does not tell them apart."
)
SILENT = tr("The level is not fitted: the model finds no noise source in this build.")
_FLOW = tr(
    "The flow through the case is not fitted: the cards' temperatures cannot separate it "
    "from their resistance, which is fitted for the expected flow. Measure the intake air of "
    "the cards and give it with {--case-air}."
)
_COUPLING = tr(
    "The coupling of adjacent cards is not fitted: the measured cards are placed so alike, so "
    "far apart, or run so hot, that it cannot be separated from their resistance."
)
_RADIATORS = tr(
    "The radiators' conductance is not fitted: the temperatures cannot separate it from the "
    "blocks' resistance, which is fitted for the expected radiators. Measure the water "
    "before the blocks and give it with {--coolant}."
)


def pinned(group: CardGroup) -> str:
    """A card at its target whose fans were not measured."""
    return tr(
        "The temperature of {group} cannot be used: {temperature_c:.0f} °C is the target at "
        "which its fans and its driver hold it, whatever its resistance. Lower its power limit, "
        "or measure its fans too.",
        group=group.title,
        temperature_c=group.temperature_c,
    )


def off_curve(group: CardGroup) -> str:
    """Fans that no curve explains."""
    return tr(
        "{group} is left out: {fan_pct:.0f} % fan at {temperature_c:.0f} °C is far from any "
        "usual curve. If its speed was set by hand, let the card drive its fans and measure "
        "again.",
        group=group.title,
        fan_pct=100 * (group.fan_share or 0),
        temperature_c=group.temperature_c,
    )


def ducted(group: CardGroup) -> str:
    """A card without a fan, outside a chassis made for it."""
    return tr("{group} is left out: an undescribed duct blows through it.", group=group.title)


def half_wet(group: CardGroup) -> str:
    """Cards of one kind of which only some carry a block, measured together."""
    return tr(
        "{group} is left out: some of these cards have a water block and some do not. Use "
        "{--slots} to say which measured card is which.",
        group=group.title,
    )


def no_radiator(group: CardGroup) -> str:
    """A card on water in a build without a radiator."""
    return tr(
        "{group} is left out: it is water-cooled, and the build has no radiator. Add those of the machine.",
        group=group.title,
    )


def colder(what: str, value_c: float, room_c: float) -> str:
    """A figure below the room's."""
    return tr(
        "No temperature is calibrated: {what} of {value_c:.4g} °C in a room at {room_c:.4g} °C "
        "is not possible, since anything in operation is warmer than the machine's intake air. "
        "Correct one of them.",
        what=what,
        value_c=value_c,
        room_c=room_c,
    )


def no_fans(group: CardGroup) -> str:
    """A card whose fans were not measured."""
    return tr("The fan curve shift of {group} is not fitted: its fan speed was not measured.", group=group.title)


def not_told(parameter: Parameter) -> str:
    """A parameter of which the figures tell less than the model knew."""
    match parameter.kind:
        case ParameterKind.FLOW:
            return _FLOW
        case ParameterKind.COUPLING:
            return _COUPLING
        case ParameterKind.RADIATORS:
            return _RADIATORS
        case ParameterKind.BLOCK:
            return tr(
                "{parameter} is not fitted: the chip temperatures alone cannot separate blocks from "
                "radiators. Measure the water before the blocks and give it with {--coolant}.",
                parameter=parameter.title,
            )
        case ParameterKind.SLOPE:
            return NO_SLOPE
        case ParameterKind.FANS:
            return tr(
                "{parameter} is not fitted: the fan curve is too flat where the card was running.",
                parameter=parameter.title,
            )
        case _:
            return tr(
                "{parameter} is not fitted: the run determines it less closely than the model's own range.",
                parameter=parameter.title,
            )


def not_above(level_dba: float, background_dba: float) -> str:
    """A reading that is mostly the room."""
    return tr(
        "The reading of {level_dba:g} dBA is left out: it is less than 3 dB above the room's "
        "{background_dba:g} dBA, too little to tell the machine from the room. Measure closer, "
        "or when it is quieter.",
        level_dba=level_dba,
        background_dba=background_dba,
    )


def not_steady(minutes: float, drifts_k: Sequence[float]) -> str:
    """For how long the load went on, and what the worst card still warmed or cooled."""
    drift = max(drifts_k, key=abs, default=0.0)
    return tr(
        "Nothing is calibrated: the run was not steady. It was {minutes:.0f} minutes under load, and a card changed by "
        "{drift:+.1f} K in the last ten. It takes ten minutes and no more than {most:g} K, which is reached after 20 "
        "to 45 minutes.",
        minutes=minutes,
        drift=drift,
        most=STEADY_K,
    )
