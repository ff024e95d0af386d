"""What feeds what, one line each, for people."""

from __future__ import annotations

from core.build.build import Build
from core.parts.vocabulary import CaseKind, Category
from core.wiring.balancer import MOST_STEPS
from core.wiring.kinds import NAMES
from core.wiring.wiring import BOXED, Feed, Plug, PowerSocket, Wiring


def wiring_words(build: Build, wiring: Wiring) -> tuple[str, ...]:
    """A line per feed, then one per socket that stays unfed."""
    if wiring.by_chassis:
        return (modules_words(build),)
    nothing = "Not known" if any(figure.endswith(".cables") for figure in wiring.lacking) else "Nothing"
    return (
        *(feed_words(build, feed) for feed in wiring.feeds),
        *(f"{nothing} -> {socket_words(build, socket)}" for socket in wiring.unfed),
    )


def modules_words(build: Build) -> str:
    """How board and cards get their power from PSUs that are modules without cables."""
    case = build.case
    if case is not None and case[1].kind in (CaseKind.TOWER, CaseKind.OPEN_FRAME):
        return "The PSUs have no cables: a breakout board must give board and cards plugs."
    return "The chassis feeds board and cards from its own distribution board."


def cut_short_words() -> str:
    """What is said where the search did not look at everything."""
    return f"The search for a wiring was cut short after {MOST_STEPS} steps: a better one may exist."


def feed_words(build: Build, feed: Feed) -> str:
    """PSU 1, PCIe 8-pin cable 3 -> ASUS RTX 3090 in slot 5, socket 1."""
    through = f", through {adapter_words(build, feed.adapter)}" if feed.adapter else ""
    return f"PSU {feed.supply}, {_plugs_words(feed.plugs)}{through} -> {socket_words(build, feed.socket)}"


def socket_words(build: Build, socket: PowerSocket) -> str:
    """ASUS RTX 3090 in slot 5, socket 1."""
    line = build.line(socket.part_id)
    title = line.part.title if line else socket.part_id
    if socket.category is Category.MOTHERBOARD:
        return f"{title}, {NAMES[socket.kind]} input {socket.index}"
    if socket.slot is not None:
        where = f" in slot {socket.slot}"
    else:
        where = f" number {socket.number}" if line and line.quantity > 1 else ""
    return f"{title}{where}, {NAMES[socket.kind]} socket {socket.index}"


def adapter_words(build: Build, adapter: str) -> str:
    """The adapter's title, or where it comes from."""
    if adapter == BOXED:
        return "the adapter from the card's box"
    line = build.line(adapter)
    return line.part.title if line else adapter


def _plugs_words(plugs: tuple[Plug, ...]) -> str:
    kind = NAMES[plugs[0].cable.kind]
    if not plugs[0].cable.independent:
        noun = "plug" if len(plugs) == 1 else "plugs"
        return f"{kind} {noun} {_numbers([str(plug.cable.number) for plug in plugs])}"
    noun = "cable" if len(plugs) == 1 else "cables"
    numbers = [f"{plug.cable.number}{f' (plug {plug.number})' if plug.pigtail else ''}" for plug in plugs]
    return f"{kind} {noun} {_numbers(numbers)}"


def _numbers(numbers: list[str]) -> str:
    return numbers[0] if len(numbers) == 1 else f"{', '.join(numbers[:-1])} and {numbers[-1]}"
