"""The link of a card in words: what it really gets, what it is wired to, and what holds it back."""

from __future__ import annotations

from core.parts.specs import Slot
from core.parts.vocabulary import Attachment
from core.plan.placement.links import CardLink, LinkLimit, own_link
from core.words import joined, tr
from gui.widgets.figures import UNKNOWN, number


def link_text(link: CardLink) -> str:
    """ "Gen4 x8"; "no link" where the slot is off."""
    if link.lanes == 0:
        return tr("no link")
    return _text(link.generation, link.lanes)


def link_with_limit(link: CardLink) -> str:
    """The link beside what the card could do, where it is less: "Gen4 x8 of x16", "Gen3 of Gen4 x16"."""
    got = link_text(link)
    lanes, generation = own_link(link.card.part)
    if not link.limits or not link.lanes or lanes is None or generation is None:
        return got
    narrow, slow = link.lanes < lanes, link.generation is not None and link.generation < generation
    if narrow and slow:
        return tr("{got} of {own}", got=got, own=_text(generation, lanes))
    if narrow:
        return tr("{got} of {own}", got=got, own=f"x{lanes}")
    return tr("{got} of {own}", got=got, own=f"Gen{generation}") if slow else got


def root_text(slot: Slot, *, cpus: int) -> str:
    """What a slot is wired to: "CPU" or "CPU 2, root C0", "chipset", the name of its switch."""
    match slot.attachment:
        case Attachment.CPU:
            cpu = tr("CPU {number}", number=slot.cpu + 1) if cpus > 1 else "CPU"
            return tr("{cpu}, root {root}", cpu=cpu, root=slot.root) if slot.root else cpu
        case Attachment.CHIPSET:
            return tr("chipset")
        case Attachment.SWITCH:
            return tr("switch {name}", name=slot.switch or "").rstrip()
    return tr("wiring unknown")


def slot_text(slot: Slot, *, cpus: int) -> str:
    """What a slot has by itself: "Gen4 x16 CPU", "Gen4 x8 (x16 long) chipset"."""
    longer = tr(" ({long} long)", long=f"x{slot.mechanical_lanes}")
    wired = _text(slot.generation, slot.lanes) + (longer if slot.mechanical_lanes != slot.lanes else "")
    return f"{wired} {root_text(slot, cpus=cpus)}"


def speed_words(link: CardLink) -> str:
    """GB/s each way, of what the card could do where that is more; empty if unknown."""
    if link.gbps is None:
        return ""
    got = tr("{speed} GB/s each way", speed=number(link.gbps))
    if link.full_gbps is None or link.full_gbps <= link.gbps + 0.1:
        return got
    return tr("{got}, the card could do {full}", got=got, full=number(link.full_gbps))


def limit_words(link: CardLink) -> str:
    """What holds the link back, in a phrase; empty if nothing does."""
    return joined((_limit(limit, link) for limit in link.limits), ", ")


def _limit(limit: LinkLimit, link: CardLink) -> str:
    if limit is LinkLimit.SETTING:
        return tr("set to Gen{generation}", generation=link.slot.generation)
    others = [name for name in (link.row.filled if link.row else ()) if name != link.slot.label]
    if limit is LinkLimit.POPULATION and others:
        return tr("shares lanes with {names}", names=joined(others, ", "))
    return limit.label


def _text(generation: int | None, lanes: int | None) -> str:
    return f"Gen{generation or UNKNOWN} x{UNKNOWN if lanes is None else lanes}"
