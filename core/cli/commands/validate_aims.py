"""How near predictions come to what they aim at, as `rigwright validate` prints it."""

from collections.abc import Sequence

from core.cli.options import console
from core.lab.validation.outcome import Aim
from core.present.report.document import figures_column, table
from core.present.report.terminal import print_blocks
from core.words import tr
from core.words.units import quantity


def print_aims(reached: Sequence[Aim]) -> None:
    """A line for each, met or missed."""
    console.print()
    rows = []
    for aim in reached:
        aimed = quantity(aim.wanted, aim.unit, decimals=0)
        required = tr("at least {aimed}", aimed=aimed) if aim.least else tr("at most {aimed}", aimed=aimed)
        value = quantity(aim.found, aim.unit, decimals=1, missing="")
        state = {True: tr("met"), False: tr("missed"), None: tr("no case")}[aim.met]
        rows.append((aim.title, required, value, str(aim.cases), state))
    figures_of = map(figures_column, (tr("Found"), tr("Cases")))
    print_blocks(console, [table((tr("Target"), tr("Required"), *figures_of, ""), rows)])
