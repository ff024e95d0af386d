"""The power delivery chapter of a build report: every socket with its cable, the load of each PSU, the peaks."""

from __future__ import annotations

from collections.abc import Iterator

from core.assessment import Assessment
from core.build.build import Build
from core.report.document import Badge, Block, Cell, Column, Heading, Paragraph, Tone, table
from core.rules.figure_names import figure_phrase
from core.units import quantity
from core.wiring.kinds import NAMES
from core.wiring.sentences import adapter_words, cut_short_words, modules_words, socket_words
from core.wiring.wiring import Feed, PowerSocket, Supply, Wiring

PEAKS = "psu-excursion"
"""The rule whose sentence names all five windows."""


def wiring_blocks(known: Assessment) -> Iterator[Block]:
    """Nothing for a build without a PSU."""
    build, wiring = known.build, known.wiring
    if not wiring.supplies:
        return
    yield Heading("Power delivery")
    columns = (Column("PSU", 0.8), Column("Part", 4.0), Column("Load", 1.2, numeric=True))
    output = (Column("Output", 1.2, numeric=True), Column("Of it", 1.0, numeric=True))
    yield table((*columns, *output), [_supply_row(build, supply) for supply in wiring.supplies])
    yield Paragraph("Loads with all cards and CPUs at their limits; all else of the machine is on the board's PSU.")
    if wiring.cut_short:
        yield Paragraph(cut_short_words())
    if wiring.by_chassis:
        yield Paragraph(modules_words(build))
    if wiring.lacking:
        yield Paragraph(f"Not all could be wired, unknown are: {figure_phrase(build, wiring.lacking)}.")
    yield from _cable_blocks(build, wiring)
    peaks = [finding.message for finding in known.findings if finding.rule == PEAKS and finding.checked]
    if peaks:
        yield Heading("Power peaks", 2)
        yield Paragraph("\n".join(peaks))


def _cable_blocks(build: Build, wiring: Wiring) -> Iterator[Block]:
    unfed = [socket for socket in wiring.unfed if socket.needed]
    if not wiring.feeds and not unfed:
        return
    yield Heading("Cables", 2)
    columns = (Column("From", 2.4), Column("To", 4.6), Column("Load", 1.0, numeric=True), Column("Remarks", 2.2))
    unknown = any(figure.endswith(".cables") for figure in wiring.lacking)
    rows = [_feed_row(build, feed) for feed in wiring.feeds]
    yield table(columns, [*rows, *(_unfed_row(build, socket, known=not unknown) for socket in unfed)])


def _supply_row(build: Build, supply: Supply) -> tuple[Cell, ...]:
    line = build.line(supply.part_id)
    share = None if supply.share is None else 100 * supply.share
    return (
        f"PSU {supply.place}",
        line.part.title if line else supply.part_id,
        quantity(supply.load_w, "W", decimals=0),
        quantity(supply.power_w, "W"),
        quantity(share, "%", decimals=0),
    )


def _feed_row(build: Build, feed: Feed) -> tuple[Cell, ...]:
    numbers = [
        f"{plug.cable.number}, plug {plug.number}" if plug.pigtail else str(plug.cable.number) for plug in feed.plugs
    ]
    cable = f"PSU {feed.supply}, {NAMES[feed.plugs[0].cable.kind]} {' + '.join(numbers)}"
    remarks = ["shares its cable"] if feed.pigtail else []
    if feed.adapter:
        remarks.append(f"through {adapter_words(build, feed.adapter)}")
    return cable, socket_words(build, feed.socket), _load(feed.socket), ", ".join(remarks)


def _unfed_row(build: Build, socket: PowerSocket, *, known: bool) -> tuple[Cell, ...]:
    word = Badge("NOT FED", Tone.FAIL) if known else Badge("NOT KNOWN", Tone.UNKNOWN)
    return word, socket_words(build, socket), _load(socket), "" if known else "the cables of a PSU are unknown"


def _load(socket: PowerSocket) -> str:
    return quantity(socket.load_w, "W", decimals=0) if socket.load_w else ""
