"""The page of a card as Markdown, what was measured first; which pages may be kept, and where."""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from core.lab.measure.page import (
    COST_AIM_PCT,
    FORMAT,
    POWER_AIM_PCT,
    VERSION,
    CardFacts,
    Did,
    Page,
    Power,
    ProductRow,
    Program,
)

WORDS = {Did.DONE: "done", Did.FAILED: "FAILED", Did.NOT_RUN: "NOT RUN"}
REHEARSAL = (
    "**Rehearsal on a CPU: no card was measured.** It shows that the measurement works, and is kept as no card's page."
)
UNKNOWN = "unknown"


def as_markdown(page: Page) -> str:
    """The whole page."""
    lines = [f"# {page.card.name}", ""]
    if page.card.kind != "gpu":
        lines += [REHEARSAL, ""]
    elif page.card.is_share:
        lines += ["**A share of a card (MIG): its neighbours shared power, heat and memory bandwidth.**", ""]
    lines += [f"Measured {page.date} in {page.took_s:.0f} of at most {page.budget_s:.0f} s. {_summary(page)}", ""]
    for section in (_facts, _products, _memory, _tools, _stops, _checked, _parts):
        lines += section(page)
    return "\n".join(lines).rstrip() + "\n"


def _summary(page: Page) -> str:
    match page.did:
        case Did.DONE:
            return "Every part was done."
        case Did.FAILED:
            return "A part FAILED."
        case Did.NOT_RUN:
            return "The page is incomplete: see the parts that were NOT RUN."


def _facts(page: Page) -> list[str]:
    rows = [*_card_facts(page.card), *_program_facts(page.program), ("Host", page.host)]
    return [*_table(("", ""), [(name, text) for name, text in rows if text]), ""]


def _card_facts(card: CardFacts) -> Iterable[tuple[str, str]]:
    yield "Compute capability", card.capability or ""
    yield "Memory", f"{card.memory_mb} MiB" if card.memory_mb else ""
    yield "Multiprocessors", str(card.multiprocessors or "")
    if card.power_limit_w:
        default = f" (default {card.power_default_w:.0f} W)" if card.power_default_w else ""
        yield "Power limit", f"{card.power_limit_w:.0f} W{default}"
    yield "Link at most", f"PCIe {card.pcie}" if card.pcie else ""
    yield "VBIOS", card.vbios or ""
    yield "Driver", card.driver or ""
    yield "Measured beside", f"{card.beside} other cards at the same time" if card.beside else ""


def _program_facts(program: Program) -> Iterable[tuple[str, str]]:
    yield "PyTorch", program.torch or ""
    yield "CUDA of PyTorch", program.cuda or ""
    yield "Python", program.python
    changed = ", with changes" if program.changed else ""
    yield "Rigwright", f"{program.version}, commit {program.commit or UNKNOWN}{changed}"
    yield "Packages missing", ", ".join(program.missing)


def _products(page: Page) -> list[str]:
    if not page.products:
        return []
    heads = ("Format", "Size", "Verified TFLOPS", "Bare TFLOPS", "Checking costs", "Wrong", "Power", "Clock")
    rows = [_product_row(row) for row in page.products]
    lines = _section("Products, verified and bare in turns", heads, rows)
    over = [row.format for row in page.products if row.cost_pct > COST_AIM_PCT]
    aim = f"Aim: checking costs less than {COST_AIM_PCT:g} %."
    lines += [f"{aim} Missed in {', '.join(over)}." if over else f"{aim} Met in every format.", ""]
    lines += _hottest(page)
    lines += [f"Not available: {name}: {reason}" for name, reason in page.not_available.items()]
    return [*lines, ""] if page.not_available else lines


def _product_row(row: ProductRow) -> tuple[str, ...]:
    spread = f"{row.cost_pct:.1f} % ({row.cost_from_pct:.1f} to {row.cost_to_pct:.1f})"
    clock = f"{row.power.clock_mhz:.0f} MHz" if row.power and row.power.clock_mhz else UNKNOWN
    return (
        row.format, f"{row.size}, 1 in {row.check_every} compared", _figure(row.verified_tflops),
        _figure(row.bare_tflops), spread, f"{row.errors} of {row.checks}", _watts(row.power), clock,
    )  # fmt: skip


def _hottest(page: Page) -> list[str]:
    row = page.hottest
    if row is None or row.power is None or row.power.share_pct is None:
        return ["Power was not measured.", ""]
    power = row.power
    held = ", ".join(f"{name} {share:.0f} %" for name, share in power.held_by.items()) or "nothing"
    reached = "reached" if power.share_pct is not None and power.share_pct >= POWER_AIM_PCT else "not reached"
    words = f"Power: {power.mean_w:.0f} W, {power.share_pct:.1f} % of the limit, in {row.format}"
    degrees = f", at most {power.temperature_c:.0f} °C" if power.temperature_c is not None else ""
    return [f"{words}{degrees}. {POWER_AIM_PCT:g} % was {reached}. Clocks were held by: {held}.", ""]


def _memory(page: Page) -> list[str]:
    if page.bandwidth is None:
        return []
    memory = page.bandwidth
    rows = [("copy, bare", f"{memory.copy_gbps:.0f} GB/s", f"buffers of {memory.buffer_mib} MiB")]
    for how, gbps in (("by clock and width", memory.by_clock_gbps), (f"data sheet, {memory.sheet}", memory.sheet_gbps)):
        if gbps:
            rows.append((how, f"{gbps:.0f} GB/s", f"the copy reached {100 * memory.copy_gbps / gbps:.1f} %"))
    return _section("Memory bandwidth", ("", "", ""), rows)


def _tools(page: Page) -> list[str]:
    heads = ("Program", "Format", "Its TFLOPS", "Ours, verified", "Ours is", "Its errors", "Its power", "")
    rows = [
        (
            row.tool, row.format, _figure(row.tflops), _figure(row.ours_tflops),
            f"{100 * row.ours_tflops / row.tflops:.1f} %" if row.ours_tflops else UNKNOWN,
            "checks none" if row.errors is None else str(row.errors), _watts(row.power), row.note,
        )
        for row in page.tools
    ]  # fmt: skip
    return _section("Other programs, ours right after each", heads, rows)


def _stops(page: Page) -> list[str]:
    rows = [
        (row.load, f"{row.done_s:.2f} s", UNKNOWN if row.rest_s is None else f"{row.rest_s:.2f} s")
        for row in page.stops
    ]
    return _section("From a stop request", ("Load", "ended after", "board at rest after"), rows)


def _checked(page: Page) -> list[str]:
    lines: list[str] = []
    for title, rows in (("GPU tests", page.tests), ("Every check once: what did not simply pass", page.stages)):
        lines += _section(title, ("", "Outcome", "Reason"), [(row.name, row.outcome, row.reason) for row in rows])
    return lines


def _parts(page: Page) -> list[str]:
    rows = [(part.title, WORDS[part.did], f"{part.seconds:.0f} s", part.reason) for part in page.parts]
    return _section("Parts", ("Part", "", "Took", ""), rows)


def _section(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table under its heading; nothing without rows."""
    return [f"## {title}", "", *_table(heads, rows), ""] if rows else []


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
    return lines + [f"| {' | '.join(_cell(text) for text in row)} |" for row in rows]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _figure(number: float | None) -> str:
    return UNKNOWN if number is None else f"{number:.4g}"


def _watts(power: Power | None) -> str:
    if power is None:
        return UNKNOWN
    return f"{power.mean_w:.0f} W" + (f" ({power.share_pct:.1f} %)" if power.share_pct is not None else "")


def why_not_kept(text: str) -> str | None:
    """Why a JSON page cannot be kept as a card's; None if it can."""
    try:
        page: Any = json.loads(text)
    except ValueError:
        return "It is no JSON."
    if not isinstance(page, dict) or page.get("format") != FORMAT or page.get("version") != VERSION:
        return f"It is no {FORMAT} of version {VERSION}."
    if page["card"]["kind"] != "gpu":
        return "No card was measured: it is a rehearsal on a CPU."
    if " MIG " in page["card"]["name"]:
        return "A share of a card was measured (MIG). Turn MIG off, and measure the whole card."
    if not page["card"]["driver"]:
        return "It does not tell the driver: install nvidia-ml-py, and measure again."
    if not page["program"]["commit"] or page["program"]["changed"]:
        return "The program was not that of a commit. Measure with a clone of the repository without changes."
    if not page["products"]:
        return "It tells no rate."
    return None


def write_page(page: Page, folder: Path, stem: str) -> Path:
    """Writes STEM.json and STEM.md, each whole or not at all; returns the Markdown's path."""
    folder.mkdir(parents=True, exist_ok=True)
    for suffix, text in ((".json", page.as_json()), (".md", as_markdown(page))):
        draft = folder / f".{stem}{suffix}.new"
        draft.write_text(text, encoding="utf-8")
        draft.replace(folder / f"{stem}{suffix}")
    return folder / f"{stem}.md"


def stem_of(page: Page, position: int = 0) -> str:
    """The name of its files: card and day, a number where several cards of this machine are alike."""
    words = re.sub(r"[^a-z0-9]+", "-", page.card.name.lower()).strip("-") or "card"
    rehearsal = "" if page.card.kind == "gpu" else "rehearsal-"
    return f"{rehearsal}{words}-{page.date[:10]}" + (f"-{position + 1}" if position else "")
