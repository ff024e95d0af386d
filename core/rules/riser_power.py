"""What feeds a riser: its slot, a cable of the PSU, or a plug for drives that carries too little."""

from __future__ import annotations

from core.language import joined, tr
from core.parts.part import Part
from core.parts.specs import CableSpec
from core.parts.vocabulary import Category, PowerConnector
from core.rules.changes import WIDER_RISER, Move
from core.rules.context import RuleContext
from core.rules.figure_names import listed
from core.rules.finding import Status
from core.rules.reader import Reader
from core.rules.rule import Answer, Rule, Subjects
from core.wiring.kinds import PCIE_6, PCIE_8

SLOT_W, SATA_W, MOLEX_W = 75.0, 54.0, 78.0
"""A Molex plug has one contact for 12 V, good for 6.5 A."""


def _power(read: Reader, riser: Part) -> Answer:
    fields = {"riser": riser.title, "slot_w": SLOT_W, "sata_w": SATA_W}
    if not read(riser, "powered"):
        message = tr("{riser} passes on the power of the slot, up to {slot_w:.0f} W per card from the board.", **fields)
        return Answer(Status.PASS, message, SLOT_W, unit="W")
    inputs = read.maybe(riser, "power_inputs")
    if inputs and all(socket.kind is PowerConnector.SATA for socket in inputs):
        message = tr(
            "{sata_w:.0f} < {slot_w:.0f} W: a SATA plug feeds {riser}, a card may draw more there. Such plugs have "
            "burnt.",
            **fields,
        )
        return Answer(Status.FAIL, message, SLOT_W, SATA_W, "W")
    for kind, able_w in ((PowerConnector.SATA, SATA_W), (PowerConnector.MOLEX, MOLEX_W)):
        adapters = [line.part for line in read.machine.lines(Category.CABLE) if _is_for_riser(read, line.part, kind)]
        if adapters:
            read.about(*adapters)
            return _from_drive_plugs(riser, listed([part.title for part in adapters]), able_w)
    message = tr(
        "{riser} needs power of its own: from a PCIe cable of the PSU that feeds its card, "
        "never from SATA ({sata_w:.0f} W against up to {slot_w:.0f} W).",
        **fields,
    )
    return Answer(Status.NOTE, message, SLOT_W, SATA_W, "W")


def _from_drive_plugs(riser: Part, adapters: str, able_w: float) -> Answer:
    instead = tr("Leave {adapters} out and feed {riser} from a PCIe cable.", adapters=adapters, riser=riser.title)
    fields = {"able_w": able_w, "slot_w": SLOT_W, "instead": instead}
    if able_w < SLOT_W:
        message = tr(
            "{able_w:.0f} < {slot_w:.0f} W: a SATA plug carries less than a card may draw through "
            "its riser, and such plugs have burnt. {instead}",
            **fields,
        )
        return Answer(Status.FAIL, message, SLOT_W, able_w, "W")
    message = tr(
        "The {able_w:.0f} W of a Molex plug leave no margin over the {slot_w:.0f} W that a card may draw there.",
        **fields,
    )
    return Answer(Status.WARN, joined([message, instead]), SLOT_W, able_w, "W")


def _is_for_riser(read: Reader, adapter: Part, kind: PowerConnector) -> bool:
    """Whether an adapter makes a plug for a riser out of one for drives."""
    assert isinstance(adapter.spec, CableSpec)
    read.maybe(adapter, "target_kind")
    target = adapter.spec.target_kind
    return read.maybe(adapter, "source_kind") is kind and (target is None or target in (PCIE_6, PCIE_8, kind))


def _risers(machine: RuleContext) -> list[Part]:
    return [line.part for line in machine.lines(Category.RISER)]


RISER_POWER_RULES = (
    Rule(
        "riser-power",
        tr("Riser power"),
        tr(
            "A card may draw 75 W from its slot; a SATA plug carries 54 W (three pins of 1.5 A "
            "at 12 V), a Molex one 78 W."
        ),
        "stefanholmes.com, blockchainblog.io and cryptoage.com on SATA, Molex and risers; PCIe CEM",
        _power,
        subjects=Subjects(_risers, tr("No riser in the build.")),
        reads=("riser.powered", "riser.power_inputs", "cable.source_kind", "cable.target_kind"),
        fixes=(Move.OFF_RISERS, WIDER_RISER, Move.ARRANGE),
    ),
)
