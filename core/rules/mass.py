"""Heavy cards: what loads the slots, and what must not travel like that."""

from __future__ import annotations

from core.build.boxes import BOX_READS
from core.build.line import Line, is_card
from core.language import tr, trc, trn
from core.parts.specs import GpuSpec
from core.parts.vocabulary import CaseKind, Category
from core.rules.case import is_frame
from core.rules.changes import SAME_CHIP, Swap, at_most, limits
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.reader import Reader
from core.rules.rule import Answer, Rule, Subjects, only_if

HEAVY_G, VERY_HEAVY_G = 1000.0, 1500.0
"""From here on a card that is held at its bracket alone sags, a little or visibly; general practice, not confirmed."""
DENSITY_G_PER_L = (570.0, 970.0)
"""Mass over length x height x width of seven cards whose mass is known, 1.2 to 2.4 kg."""
PITCH_MM = 20.32
GRAVITY = 9.81


def _mass(read: Reader, line: Line) -> Answer:
    read(read.case, "kind")
    part, name = line.part, line.part.title
    mass = read.maybe(part, "mass_g")
    if mass is not None:
        torque = _moment_nm(read, line, mass)
        each = tr("{name} weighs {mass:.1f} kg", name=name, mass=mass / 1000)
        if mass <= HEAVY_G:
            return Answer(Status.PASS, tr("{each}.", each=each), mass, HEAVY_G, "g")
        advice = (
            tr("brace the far end; the slot alone lets it sag") if mass > VERY_HEAVY_G else tr("a brace keeps it level")
        )
        if (number := _in_case(read, line)) > 1 and torque:
            each = tr("{each} and {number} of them pull with {torque:.1f} Nm", each=each, number=number, torque=torque)
        message = tr("{each}: {advice}.", each=each, advice=advice)
        return Answer(Status.WARN if mass > VERY_HEAVY_G else Status.PASS, message, mass, VERY_HEAVY_G, "g")
    length, height, width = read.all(*((part, field) for field in ("length_mm", "height_mm", "width_slots")))
    litres = length * height * width * PITCH_MM / 1e6
    low, high = (density * litres for density in DENSITY_G_PER_L)
    each = tr(
        "{name} is likely to weigh {low:.1f} to {high:.1f} kg by its size", name=name, low=low / 1000, high=high / 1000
    )
    if (low + high) / 2 <= VERY_HEAVY_G:
        return Answer(Status.PASS, tr("{each}.", each=each), (low + high) / 2, VERY_HEAVY_G, "g")
    return Answer(
        Status.NOTE, tr("{each}: plan a brace for its far end.", each=each), (low + high) / 2, VERY_HEAVY_G, "g"
    )


def _moment_nm(read: Reader, line: Line, mass_g: float) -> float | None:
    """All cards of the line, held at the bracket, with their mass halfway along."""
    length = read.maybe(line.part, "length_mm")
    return None if length is None else _in_case(read, line) * mass_g / 1000 * GRAVITY * length / 2000


def _in_case(read: Reader, line: Line) -> int:
    return line.quantity - read.machine.in_boxes.get(line.part.id, 0)


def _transport(read: Reader, machine: RuleContext) -> Answer:
    on_risers = [card for card in machine.placed if card.off_board]
    if on_risers:
        read.about(*{card.part.id: card.part for card in on_risers}.values())
        read.about(*(line.part for line in machine.lines(Category.RISER, Category.CARRIER)))
        count = len(on_risers)
        slots = tuple(card.slot or 0 for card in on_risers)
        message = trn(
            "{count} card stands away from the board: take it out before transport.",
            "{count} cards stand away from the board: take them out before transport.",
            count=count,
        )
        return Answer(Status.NOTE, message, count, 0, "cards", slots)
    if machine.case and is_frame(machine.case):
        read.about(machine.case)
        return Answer(
            Status.PASS, tr("{case} is open: take the cards out before the machine travels.", case=machine.case.title)
        )
    return Answer(Status.PASS, tr("Every card sits in a slot of the board, in a closed case."))


def _unsupported(machine: RuleContext) -> list[Line]:
    """Lines of cards that lie in a tower; a rack or a maker's system holds its cards at both ends."""
    kind = getattr(machine.case.spec, "kind", None) if machine.case else None
    if kind in (CaseKind.RACK, CaseKind.SYSTEM, CaseKind.OPEN_FRAME):
        return []
    lines, outside = [line for line in machine.lines(Category.GPU) if is_card(line.part)], machine.in_boxes
    return [line for line in lines if outside.get(line.part.id, 0) < line.quantity] if outside else lines


def _with_cards(machine: RuleContext) -> bool:
    return any(isinstance(card.part.spec, GpuSpec) for card in machine.cards)


MASS_RULES = (
    Rule(
        "card-mass",
        tr("Card weight"),
        tr(
            "A card above 1 kg benefits from a brace, above 1.5 kg it needs one. Without a stated "
            "mass: 0.57 to 0.97 kg per litre of its outline."
        ),
        "builders' practice, not confirmed; outline of seven cards with stated mass",
        _mass,
        (Category.CASE,),
        subjects=Subjects(_unsupported, tr("No card held only by its bracket.")),
        confirmed=False,
        reads=(
            *("gpu.mass_g", "gpu.length_mm", "gpu.height_mm", "gpu.width_slots", "gpu.form", "case.kind"),
            *BOX_READS,
        ),
        fixes=(Swap(Category.GPU, "mass_g", limits(SAME_CHIP, at_most("mass_g"))),),
    ),
    Rule(
        "transport",
        trc("moving the machine", "Transport"),
        tr("Cards on risers and in open frames do not survive shocks."),
        "Lambda on extenders in its workstations",
        _transport,
        subjects=only_if(_with_cards, tr("No card in the build.")),
        gravest=Status.NOTE,
        reads=("case.kind", "gpu.form"),
    ),
)
