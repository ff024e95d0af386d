"""What surrounds the machine in words: its circuits, what else draws from them, and what is assumed."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from core.build.assumptions import USUAL
from core.build.build import Build
from gui.planner.figures import number

translate = QCoreApplication.translate


def circuits_words(build: Build) -> str:
    """What a button has room for: how many circuits there are, or that the one is shared."""
    count, taken_w = len(build.other_loads_w), sum(build.other_loads_w)
    if count > 1:
        return translate("Site", "{count} circuits").format(count=count)
    if taken_w:
        return translate("Site", "{watts} W taken").format(watts=number(taken_w))
    return translate("Site", "Circuits")


def is_usual(build: Build) -> bool:
    """Whether one circuit of the region feeds the machine alone, and everything is assumed as usual."""
    return build.custom_circuit is None and build.other_loads_w == (0.0,) and build.assumptions == USUAL


def site_words(build: Build) -> str:
    """All of it, a sentence a line."""
    circuit, loads = build.circuit, build.other_loads_w
    lines = [
        translate("Site", "{count} × {title}: {watts} W may be drawn from each for hours. {source}.").format(
            count=len(loads), title=circuit.title, watts=number(circuit.continuous_w), source=circuit.source
        )
    ]
    lines += [
        translate("Site", "On circuit {position} {watts} W are taken by other things.").format(
            position=position, watts=number(watts)
        )
        for position, watts in enumerate(loads, start=1)
        if watts
    ]
    lines.append(
        translate("Site", "Assumed: {share} % of the cards' power peaks meet, plugs need {room} mm.").format(
            share=number(100 * build.assumptions.coincidence), room=number(build.assumptions.plug_room_mm)
        )
    )
    return "\n".join(lines)
