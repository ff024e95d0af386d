"""What a certificate says of itself, and what the values of its record are called."""

from __future__ import annotations

from collections.abc import Mapping

from core.language import tr, trc

PAGE_WORDS: Mapping[str, str] = {
    "title": tr("Burn-in certificate"),
    "marked": tr("SIMULATED"),
    "simulated": tr("SIMULATED: no hardware was measured. This proves nothing."),
    "cards": tr("Cards"),
    "card": tr("Card"),
    "slot": tr("Slot"),
    "model": trc("of a card", "Model"),
    "serial": tr("Serial"),
    "vbios": "VBIOS",
    "errors": tr("Errors"),
    "hottest": tr("Hottest"),
    "verdict": tr("Verdict"),
    "three": tr("As planned, as built, as measured"),
    "plan": tr("Plan"),
    "built": tr("As built"),
    "measured": tr("Measured"),
    "no_plan": tr("The run had no plan to compare with."),
    "ran": tr("What ran"),
    "tested_by": tr("Tested by, date"),
    "released_by": tr("Released by, date"),
    "accepted_by": tr("Accepted by customer, date"),
    "proves": tr(
        "A seal proves that nothing was changed since and which key sealed it, not that a measurement was right."
        " {rigwright verify} FILE checks this file."
    ),
    "curves": tr("Curves"),
    "reasons": tr("Reasons, causes first"),
    "annex": tr("Annex: the log of the run"),
}
"""Headings and heads of columns, by the names that the template has for them."""
FACTS: Mapping[str, str] = {
    "customer": tr("customer"),
    "order": trc("of a customer", "order"),
    "machine_serial": tr("machine serial"),
    "tester": tr("tester"),
    "place": trc("of a test", "place"),
    "room_temperature_c": tr("room temperature"),
    "circuit": trc("of a test", "circuit"),
    "wall_idle_w": tr("wall power idle, from a file"),
    "wall_load_w": tr("wall power under load, from a file"),
    "noise_idle_dba": tr("noise idle"),
    "noise_load_dba": tr("noise load"),
    "noise_distance_m": tr("noise distance"),
}
"""What can be told of a run, by the name that its record has for it."""


_FORMATS = {"float64": "FP64", "float32": "FP32", "tf32": "TF32", "float16": "FP16", "bfloat16": "BF16"}
"""Number formats of products, as data sheets call them."""


def measured_words(what: str, of: str) -> str:
    """What was measured beside its prediction; `of` is the number format of a rate, the distance of a level, the
    name of a file."""
    match what:
        case "temperature":
            return tr("Temperature of cards")
        case "power":
            return tr("Power of a card")
        case "rate":
            return tr("Matrix products, {format}", format=_FORMATS.get(of, of))
        case "wall":
            return tr("Power at the wall")
        case "wall_file_idle":
            return tr("Power at the wall when idle, {file}", file=of)
        case "wall_file":
            return tr("Power at the wall, {file}", file=of)
        case "noise_idle":
            return tr("Noise idle, at {distance}", distance=of)
        case _:
            return tr("Noise at {distance}", distance=of)
