"""Which unknown figures would settle what is open, the most useful first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from core.parts.must_have import MUST_HAVE, must_have
from core.rules.finding import Status
from core.rules.machine import Machine
from core.rules.reader import Reader
from core.rules.rule import Answer, Rule
from core.rules.words import count_of, figure_phrase

SHOWN = 5


def settling(machine: Machine) -> list[tuple[str, int]]:
    """Unknown figures ("part-id.field") with the number of rules that wait for each, the most wanted first.

    The deciding figures of the parts stand at the end where no rule waits for them: predictions go on without.
    """
    deciding = {
        f"{line.part.id}.{field}": 0
        for line in machine.build.lines
        for field in must_have(line.part)
        if getattr(line.part.spec, field) is None
    }
    counts = deciding | {figure: len(rules) for figure, rules in machine.waiting.items()}
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _known(read: Reader, machine: Machine) -> Answer:
    open_ = settling(machine)
    if not open_:
        count = sum(len(must_have(line.part)) for line in machine.build.lines)
        said = f"All {count} deciding figures of the parts are known." if count else "No part has a deciding figure."
        return Answer(Status.PASS, said, count, unit="figures")
    read.lacking(figure for figure, _ in open_)
    waiting = len(set().union(*machine.waiting.values()))
    asked = f"would let {count_of(waiting, 'more rule')} answer" if waiting else "would narrow the predictions"
    first = "; ".join(
        _group(machine, rules, [figure for figure, _ in group]) for rules, group in _by_rules(open_[:SHOWN])
    )
    more = f"; and {len(open_) - SHOWN} more" if len(open_) > SHOWN else ""
    message = f"{count_of(len(open_), 'unknown figure')} {asked}: {first}{more}."
    return Answer(Status.UNKNOWN, message, len(open_), 0, "figures")


def _by_rules(figures: list[tuple[str, int]]) -> Iterator[tuple[int, Iterable[tuple[str, int]]]]:
    return groupby(figures, key=lambda pair: pair[1])


def _group(machine: Machine, rules: int, figures: list[str]) -> str:
    """The figures for which equally many rules wait: "for 2 rules: Maker X: length, width"."""
    title = f"for {count_of(rules, 'rule')}" if rules else "for predictions"
    return f"{title}: {figure_phrase(machine.build, figures)}"


UNKNOWN_RULES = (
    Rule(
        "unknown-figures",
        "Missing figures",
        "A rule never passes on a figure that is not known. Asked last: it counts which rules wait for which figure.",
        "definition",
        _known,
        gravest=Status.NOTE,
        reads=(*(f"{category}.{field}" for category, fields in MUST_HAVE.items() for field in fields), "gpu.form"),
    ),
)
