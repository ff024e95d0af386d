"""Verified products beside bare ones: what the measuring process tells, made into the rows of a page."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median

from core.lab.measure.children import JsonChild
from core.lab.measure.page import Did, ProductRow
from core.lab.measure.power import CardPowerMeter
from core.platform.processes import own_python
from core.platform.protocol import Message

START_S = 60.0
"""To import torch and wake a card; not part of what is measured."""
VERIFIED, BARE = "verified", "bare"
ROUND = 4
"""Turns of a round: verified, bare, bare, verified."""


@dataclass(slots=True)
class Products:
    """What came of it."""

    did: Did = Did.NOT_RUN
    reason: str = ""
    rows: list[ProductRow] = field(default_factory=list)
    not_available: dict[str, str] = field(default_factory=dict)
    copy_gbps: float | None = None
    copy_buffer_bytes: int = 0
    peak_gbps: float | None = None


def measure_products(
    device: str,
    seconds: float,
    meter: CardPowerMeter | None,
    *,
    formats: Sequence[str] = (),
    size: int | None = None,
    copy: bool = False,
) -> Products:
    """In all formats, or those named, sharing the time; with `copy` the memory's bandwidth first."""
    command = own_python("-m", "core.lab.measure.cost_process", "--device", device, "--seconds", str(seconds))
    command += ["--formats", ",".join(formats)] if formats else []
    command += ["--size", str(size)] if size else []
    command += ["--copy"] if copy else []
    with JsonChild(command) as child:
        return gathered(child.reports(time.monotonic() + START_S + 1.5 * seconds), meter, device)


def gathered(reports: Iterator[Message], meter: CardPowerMeter | None, card: str) -> Products:
    """Rows from the reports of core.lab.measure.cost_process."""
    products = Products(reason="The process ended, or did not answer any more, before it was done.")
    turns: dict[str, list[Message]] = {}
    broken: list[Message] = []
    done = False
    for message in reports:
        match message["type"]:
            case "turn":
                turns.setdefault(message["format"], []).append(message)
            case "not_available":
                products.not_available[message["format"]] = message["reason"]
            case "copy":
                products.copy_gbps, products.peak_gbps = message["gbps"], message["peak_gbps"]
                products.copy_buffer_bytes = message["buffer_bytes"]
            case "failed":
                broken.append(message)
            case "finished":
                done = True
                break
    products.rows = [_row(name, of_format, meter, card) for name, of_format in turns.items() if len(of_format) >= ROUND]
    _judge(products, turns, broken, done=done)
    return products


def _judge(products: Products, turns: dict[str, list[Message]], broken: list[Message], *, done: bool) -> None:
    wrong = {name: errors for name, of_format in turns.items() if (errors := sum(turn["errors"] for turn in of_format))}
    if wrong:
        counts = ", ".join(f"{errors} in {name}" for name, errors in wrong.items())
        products.did, products.reason = Did.FAILED, f"Wrong results: {counts}."
    elif any(one["blame"] == "device" for one in broken):
        products.did, products.reason = Did.FAILED, " ".join(f"{one['format']}: {one['reason']}" for one in broken)
    elif done and products.rows:
        products.did = Did.DONE
        products.reason = " ".join(f"{one['format']} was not measured: {one['reason']}" for one in broken)
    elif broken:
        products.reason = " ".join(one["reason"] for one in broken)
    elif done:
        products.reason = "The device offers none of the formats."


def _row(name: str, turns: list[Message], meter: CardPowerMeter | None, card: str) -> ProductRow:
    costs = [round_cost_pct(turns[place : place + ROUND]) for place in range(0, len(turns) - ROUND + 1, ROUND)]
    power = None
    if meter is not None:
        power = meter.over(card, turns[0]["started_s"], turns[-1]["started_s"] + turns[-1]["seconds"])
    return ProductRow(
        format=name,
        size=turns[0]["size"],
        check_every=turns[0]["check_every"],
        verified_tflops=_rate(turns, VERIFIED) / 1e12,
        bare_tflops=_rate(turns, BARE) / 1e12,
        cost_pct=median(costs),
        cost_from_pct=min(costs),
        cost_to_pct=max(costs),
        checks=sum(turn["checks"] for turn in turns),
        errors=sum(turn["errors"] for turn in turns),
        power=power,
    )


def round_cost_pct(turns: Sequence[Message]) -> float:
    """How much slower the verified products of one round were than its bare ones, %; negative where they were faster.

    Its order (verified, bare, bare, verified) takes out what rises or falls evenly.
    """
    return 100 * (1 - _rate(turns, VERIFIED) / _rate(turns, BARE))


def _rate(turns: Sequence[Message], kind: str) -> float:
    chosen = [turn for turn in turns if turn["kind"] == kind]
    return float(sum(turn["flop"] for turn in chosen) / sum(turn["seconds"] for turn in chosen))
