"""The link of a card in words: what it really gets, what it is wired to, and what holds it back."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from core.parts.specs import Slot
from core.parts.vocabulary import Attachment
from core.placement.links import CardLink, LinkLimit, own_link
from gui.figures import UNKNOWN, number

translate = QCoreApplication.translate


def link_text(link: CardLink) -> str:
    """ "Gen4 x8"; "no link" where the slot is off."""
    if link.lanes == 0:
        return translate("Links", "no link")
    return _text(link.generation, link.lanes)


def link_with_limit(link: CardLink) -> str:
    """The link beside what the card could do, where it is less: "Gen4 x8 of x16", "Gen3 of Gen4 x16"."""
    got = link_text(link)
    lanes, generation = own_link(link.card.part)
    if not link.limits or not link.lanes or lanes is None or generation is None:
        return got
    narrow, slow = link.lanes < lanes, link.generation is not None and link.generation < generation
    if narrow and slow:
        return translate("Links", "{got} of {own}").format(got=got, own=_text(generation, lanes))
    if narrow:
        return translate("Links", "{got} of {own}").format(got=got, own=f"x{lanes}")
    return translate("Links", "{got} of {own}").format(got=got, own=f"Gen{generation}") if slow else got


def root_text(slot: Slot, *, cpus: int) -> str:
    """What a slot is wired to: "CPU" or "CPU 2", "chipset", the name of its switch."""
    match slot.attachment:
        case Attachment.CPU:
            return translate("Board", "CPU {number}").format(number=slot.cpu + 1) if cpus > 1 else "CPU"
        case Attachment.CHIPSET:
            return translate("Board", "chipset")
        case Attachment.SWITCH:
            return translate("Board", "switch {name}").format(name=slot.switch or "").rstrip()
    return translate("Board", "wiring unknown")


def slot_text(slot: Slot, *, cpus: int) -> str:
    """What a slot has by itself: "Gen4 x16 CPU", "Gen4 x8 (x16 long) chipset"."""
    longer = translate("Links", " ({long} long)").format(long=f"x{slot.mechanical_lanes}")
    wired = _text(slot.generation, slot.lanes) + (longer if slot.mechanical_lanes != slot.lanes else "")
    return f"{wired} {root_text(slot, cpus=cpus)}"


def speed_words(link: CardLink) -> str:
    """GB/s each way, of what the card could do where that is more; empty if unknown."""
    if link.gbps is None:
        return ""
    got = translate("Links", "{speed} GB/s each way").format(speed=number(link.gbps))
    if link.full_gbps is None or link.full_gbps <= link.gbps + 0.1:
        return got
    return translate("Links", "{got}, the card could do {full}").format(got=got, full=number(link.full_gbps))


def limit_words(link: CardLink) -> str:
    """What holds the link back, in a phrase; empty if nothing does."""
    return ", ".join(_limit(limit, link) for limit in link.limits)


def _limit(limit: LinkLimit, link: CardLink) -> str:
    match limit:
        case LinkLimit.SLOT:
            return translate("Links", "limited by the slot")
        case LinkLimit.POPULATION:
            others = [name for name in (link.row.filled if link.row else ()) if name != link.slot.label]
            if not others:
                return translate("Links", "limited by the lanes that the slot shares")
            return translate("Links", "shares lanes with {names}").format(names=", ".join(others))
        case LinkLimit.SPLIT:
            return translate("Links", "shares the slot with another card")
        case LinkLimit.RISER:
            return translate("Links", "limited by the riser")
        case LinkLimit.CPU:
            return translate("Links", "limited by the CPU")
        case LinkLimit.NO_CPU:
            return translate("Links", "its CPU is missing")


def _text(generation: int | None, lanes: int | None) -> str:
    return f"Gen{generation or UNKNOWN} x{UNKNOWN if lanes is None else lanes}"
