"""Parts whose deciding figures are unknown, in one list."""

from __future__ import annotations

from core.parts.must_have import must_have
from core.rules.finding import Status
from core.rules.machine import Machine
from core.rules.reader import Reader
from core.rules.rule import Answer, Rule


def _known(read: Reader, machine: Machine) -> Answer:
    wanted = [(line.part, field) for line in machine.build.lines for field in must_have(line.part)]
    read.all(*wanted)
    return Answer(
        Status.PASS, f"All {len(wanted)} deciding figures of the parts are known.", len(wanted), unit="figures"
    )


UNKNOWN_RULES = (
    Rule(
        "unknown-figures",
        "Deciding figures",
        "A rule never passes on a figure that is not known.",
        "definition",
        _known,
    ),
)
