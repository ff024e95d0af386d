"""How predictions follow time after a start, the power limit of the cards, and the speed of the case fans."""

from __future__ import annotations

from collections.abc import Iterator

from core.predict.band import Band, exact
from core.predict.curves import AtFanSpeed, AtLimit, over_fans, over_limits, over_time, whys_faster
from core.predict.prediction import Prediction
from core.predict.speed.networks import Network, Triple
from core.predict.thermal.heat import THROTTLED
from core.present.report.document import (
    Block,
    Cell,
    Figure,
    Nothing,
    Paragraph,
    ReportColumn,
    Table,
    Tone,
    figures_column,
    table,
)
from core.present.report.formatting import commas, percent
from core.words import joined, tr
from core.words.units import number, quantity

SHOWN_MINUTES = (0, 1, 2, 5, 10, 20, 30, 45, 60)


def curve_blocks(prediction: Prediction) -> Iterator[Block]:
    """A table each; no warm-up without a card, and no fans where case and radiators have none."""
    build, conditions = prediction.build, prediction.conditions
    if warm_up := over_time(prediction):
        hottest = max(warm_up, key=lambda curve: curve.expected_c[-1])
        ends = list(zip(hottest.low_c, hottest.expected_c, hottest.high_c, strict=True))
        rows = [(str(minute), Figure(Band(*ends[minute], "°C"))) for minute in SHOWN_MINUTES]
        yield table((figures_column(tr("Minutes after the start")), figures_column(tr("Hottest GPU"))), rows)
    limits = over_limits(build, conditions)
    yield limits_table(limits)
    if reasons := joined(whys_faster(limits), "\n"):
        yield Paragraph(reasons)
    if fans := over_fans(build, conditions):
        yield _fans(fans)


def limits_table(rows: tuple[AtLimit, ...], network: Network | None = None) -> Table:
    """What each power limit does; the speed of one kind of network, else of each over that at the own limits."""
    of_limited = tr("Of the limited power; throttling takes the rest")
    columns = [
        ReportColumn(tr("Of default limit")),
        figures_column(tr("Power limit"), "W"),
        figures_column(tr("At the wall"), "W"),
        figures_column(tr("Noise"), "dBA"),
        figures_column(tr("Hottest GPU"), "°C"),
        figures_column(tr("Power kept"), "%", of_limited),
        figures_column(tr("Coolant"), "°C"),
    ]
    own = rows[-1].speed if rows else {}
    networks = [network for network in Network if own.get(network)]
    if network is None:
        columns += [figures_column(tr("Speed, {network}", network=network.short), "%") for network in networks]
    else:
        columns.append(figures_column(tr("Speed"), network.unit, tr("Of all cards on the network")))
    cells: list[tuple[Cell, ...]] = []
    for row in rows:
        rate = row.speed[network] if network else None
        speeds = (
            [Figure(Band(*rate, network.unit) if rate else None)]
            if network
            else [_over(row.speed[one], own[one]) for one in networks]
        )
        cells.append((*_at_limit(row), *speeds))
    return table(columns, cells, name=tr("What each limit does"), keys=[row.share for row in rows])


def _at_limit(row: AtLimit) -> tuple[Cell, ...]:
    limits_w = sorted(set(row.limits_w.values()))
    tone = Tone.WARN if row.kept_share and row.kept_share < THROTTLED else Tone.PLAIN
    return (
        quantity(100 * row.share, "%", decimals=0),
        Figure(exact(limits_w[0], "W")) if len(limits_w) == 1 else commas(map(number, limits_w)),
        Figure(Band(*row.wall_w, "W")),
        Figure(Band(*row.noise_dba, "dBA")),
        _celsius(row.hottest_c),
        percent(exact(row.kept_share), tone=tone) if row.kept_share else Nothing(),
        _celsius(row.coolant_c),
    )


def _fans(rows: tuple[AtFanSpeed, ...]) -> Table:
    titles = (
        tr("Case fans at"),
        tr("Air"),
        tr("On radiators"),
        tr("Noise, training"),
        tr("Hottest GPU"),
        tr("Coolant"),
    )
    return table(
        [figures_column(title) for title in titles],
        [
            (
                quantity(100 * row.share, "%", decimals=0),
                *(Figure(Band(*flow, "m³/h")) if flow else Nothing() for flow in (row.case_m3h, row.radiators_m3h)),
                Figure(Band(*row.noise_dba, "dBA")),
                _celsius(row.hottest_c),
                _celsius(row.coolant_c),
            )
            for row in rows
        ],
    )


def _celsius(triple: Triple | None) -> Cell:
    return Figure(Band(*triple, "°C")) if triple else Nothing()


def _over(rate: Triple | None, own: Triple | None) -> Cell:
    """Speed over that at the own limits."""
    return percent(exact(rate[1] / own[1])) if rate and own else Nothing()
