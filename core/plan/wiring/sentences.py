"""What feeds what, one line each, for people."""

from __future__ import annotations

from core.parts.vocabulary import CaseKind, Category, PowerConnector
from core.plan.build import Build
from core.plan.wiring.balancer import MOST_STEPS
from core.plan.wiring.wiring import BOXED, NAMES, Feed, Plug, PowerSocket, Wiring
from core.words import listed, tr, trn


def wiring_words(build: Build, wiring: Wiring) -> tuple[str, ...]:
    """A line per feed, then one per socket that stays unfed."""
    if wiring.by_chassis:
        return (modules_words(build),)
    unknown = any(figure.endswith(".cables") for figure in wiring.lacking)
    return (
        *(feed_words(build, feed) for feed in wiring.feeds),
        *(_unfed_words(socket_words(build, socket), unknown) for socket in wiring.unfed),
    )


def _unfed_words(socket: str, unknown: bool) -> str:
    return tr("Not known -> {socket}", socket=socket) if unknown else tr("Nothing -> {socket}", socket=socket)


def modules_words(build: Build) -> str:
    """How board and cards get their power from PSUs that are modules without cables."""
    case = build.case
    if case is not None and case[1].kind in (CaseKind.TOWER, CaseKind.OPEN_FRAME):
        return tr("The PSUs have no cables: a breakout board must provide plugs for board and cards.")
    return tr("The chassis powers board and cards from its own distribution board.")


def cut_short_words() -> str:
    """What is said where the search did not look at everything."""
    return tr("The wiring search was cut short after {steps} steps: a better wiring may exist.", steps=MOST_STEPS)


def feed_words(build: Build, feed: Feed) -> str:
    """PSU 1, PCIe 8-pin cable 3 -> ASUS RTX 3090 in slot 5, socket 1."""
    plugs, socket = listed([_plugs_words(*group) for group in feed.by_kind]), socket_words(build, feed.socket)
    if not feed.adapter:
        return tr("PSU {psu}, {plugs} -> {socket}", psu=feed.psu, plugs=plugs, socket=socket)
    adapter = adapter_words(build, feed.adapter)
    return tr(
        "PSU {psu}, {plugs}, through {adapter} -> {socket}", psu=feed.psu, plugs=plugs, adapter=adapter, socket=socket
    )


def socket_words(build: Build, socket: PowerSocket) -> str:
    """ASUS RTX 3090 in slot 5, socket 1."""
    line = build.line(socket.part_id)
    title = line.part.title if line else socket.part_id
    kind = NAMES[socket.kind]
    if socket.category is Category.MOTHERBOARD:
        return tr("{board}, {kind} input {number}", board=title, kind=kind, number=socket.index)
    if socket.slot is not None:
        title = tr("{part} in slot {slot}", part=title, slot=socket.slot)
    elif line and line.quantity > 1:
        title = tr("{part} number {number}", part=title, number=socket.number)
    return tr("{card}, {kind} socket {number}", card=title, kind=kind, number=socket.index)


def adapter_words(build: Build, adapter: str) -> str:
    """The adapter's title, or where it comes from."""
    if adapter == BOXED:
        return tr("the adapter from the card's box")
    line = build.line(adapter)
    return line.part.title if line else adapter


def _plugs_words(of_cables: PowerConnector, plugs: tuple[Plug, ...]) -> str:
    kind, count = NAMES[of_cables], len(plugs)
    if not plugs[0].cable.independent:
        numbers = listed([str(plug.cable.number) for plug in plugs])
        return trn("{kind} plug {numbers}", "{kind} plugs {numbers}", kind=kind, numbers=numbers, count=count)
    numbers = listed([_cable_words(plug) for plug in plugs])
    return trn("{kind} cable {numbers}", "{kind} cables {numbers}", kind=kind, numbers=numbers, count=count)


def _cable_words(plug: Plug) -> str:
    if not plug.pigtail:
        return str(plug.cable.number)
    return tr("{cable} (plug {plug})", cable=plug.cable.number, plug=plug.number)
