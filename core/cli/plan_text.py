"""What the commands about parts and builds print for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich.markup import escape
from rich.table import Table

from core.advise.fix import Fix
from core.assessment import Assessment
from core.build.build import Build
from core.build.role_words import gpu_words
from core.cli.options import console
from core.cli.states import UNKNOWN, column, padded
from core.language import joined, lowered, plain, tr, trn
from core.phrasing import listed
from core.predict.airflow.airflow import Airflow, FanGroup
from core.predict.band import Band
from core.predict.excursions import Excursions
from core.predict.power import AT_LIMITS
from core.predict.prediction import CPU_BUSY_TITLE, Prediction
from core.predict.supply import box_words
from core.predict.thermal.heat import THROTTLED
from core.rules.engine import counts_words
from core.rules.figure_names import figure_phrase, figures_by_part
from core.rules.finding import Finding, Status

STATUS_STYLE = {
    Status.FAIL: "bold red",
    Status.WARN: "yellow",
    Status.UNKNOWN: "magenta",
    Status.NOTE: "cyan",
    Status.PASS: "green",
}


def without_passed(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """What a reader must know first."""
    return tuple(finding for finding in findings if finding.status is not Status.PASS)


FixesOf = Callable[[Finding], tuple[Fix, ...]]


def no_fixes(_: Finding) -> tuple[Fix, ...]:
    """Where nobody asked for fixes."""
    return ()


def print_findings(build: Build, findings: tuple[Finding, ...], fixes_of: FixesOf = no_fixes) -> None:
    """The findings, the worst first, with what would fix them."""
    console.print(f"[bold]{escape(build.name)}[/]  {build.circuit.title}\n")
    for finding in findings:
        print_finding(finding)
        if finding.unconfirmed and finding.status in (Status.FAIL, Status.WARN):
            figures = escape(figure_phrase(build, finding.unconfirmed))
            console.print(f"        [dim]{tr('unconfirmed: {figures}', figures=figures)}[/]")
        for figure in finding.needed:
            part_id, _, field = figure.rpartition(".")
            console.print(f"[dim]        rigwright parts set {escape(part_id)} {field}=...[/]", soft_wrap=True)
        for fix in fixes_of(finding):
            but = joined(tr("But: {sentence}", sentence=sentence) for sentence in fix.brings)
            console.print(
                "        "
                + tr("suggested fix: {fix}", fix=escape(fix.sentence))
                + (f" [dim]{escape(but)}[/]" if but else "")
            )


def print_finding(finding: Finding) -> None:
    """Its status, its sentence and its rule."""
    style = STATUS_STYLE[finding.status]
    status = padded(finding.status.badge, column([status.badge for status in Status], 8))

    console.print(f"[{style}]{status}[/]{escape(finding.message)}  [dim]({finding.rule})[/]")


def print_gpus(build: Build) -> None:
    """How many GPUs work, where some do not, or a card has several."""
    if words := gpu_words(build):
        console.print(f"\nGPUs: {words}")


def print_counts(findings: tuple[Finding, ...]) -> None:
    """How many findings there are of each status."""
    console.print(f"\n{counts_words(findings)}")


def print_prediction(known: Assessment) -> None:
    """Power at the wall, peaks, noise and price, with assumptions and what is missing."""
    build, prediction = known.build, known.prediction
    print_gpus(build)
    load = prediction.conditions.load
    table = Table(tr("Prediction"), tr("Low"), tr("Expected"), tr("High"), tr("Unit"), box=None)
    for title, band in (
        *((tr("Wall power, {load}", load=each.label), band) for each, band in prediction.wall_w.items()),
        *((AT_LIMITS[each].title, drawn.wall_w) for each, drawn in prediction.at_limits.items()),
        (tr("Current, {load}", load=load.label), prediction.current_a[load]),
        *_temperatures(prediction),
        (tr("Noise idle ({word})", word=prediction.noise_idle_word), prediction.noise_idle),
        (tr("Noise training ({word})", word=prediction.noise_load_word), prediction.noise_load),
    ):
        table.add_row(title, *(_figure(figure, band) for figure in (band.low, band.expected, band.high)), band.unit)
    console.print(table)
    if prediction.psu_load:
        console.print("\n" + tr("PSU load: {load}.", load=prediction.psu_load.words))
    for drawn in prediction.limits.boxes:
        console.print(box_words(drawn))
    console.print(tr("Circuit load: {load}.", load=prediction.circuit_load.words))
    for held in prediction.throttled:
        console.print(f"[yellow]{escape(held.sentence)}.[/]  [dim]({escape(held.title)})[/]")
    _print_peaks(prediction.excursions)
    console.print(f"\n{_energy_words(prediction)}")
    console.print(f"\n{_air_words(prediction.heat.air)}")
    _print_list(tr("Not predicted"), prediction.heat.unknown)
    _print_list(tr("What to change first to get quieter"), prediction.quieter)
    _print_list(tr("Tones"), prediction.tonal_risks)
    console.print("\n" + tr("Noise is given at {distance:g} m.", distance=prediction.conditions.distance_m))
    print_price(known)
    _print_list(tr("Assumptions"), prediction.assumptions)
    unknown = tuple(
        plain("{part}: {figures}", part=title, figures=figures)
        for title, figures in figures_by_part(build, prediction.missing)
    )
    _print_list(tr("Unknown figures that widen the bands"), unknown)


def print_price(known: Assessment) -> None:
    """The total of the parts, what it rests on, and the budget."""
    price = known.price
    console.print(tr("Price: {price}.", price=escape(price.words)) + f" [dim]{escape(joined(price.basis))}[/]")
    if known.budget_words:
        console.print(tr("Budget: {use}.", use=escape(known.budget_words)))
    if deciding := known.deciding_prices:
        titles = listed([escape(line.part.title) for line in known.build.lines if line.part.id in deciding])
        console.print(tr("It depends on the price of {parts}: give your own with parts set ID --price.", parts=titles))


def _print_peaks(excursions: Excursions) -> None:
    """What is asked for in each window of time, against what the PSUs must bear."""
    if not excursions.asked:
        return
    console.print()
    table = Table(
        tr("Peaks of"),
        tr("Low"),
        tr("Expected"),
        tr("High"),
        tr("Capability"),
        tr("Unit"),
        tr("Used"),
        tr("For at most"),
        box=None,
    )
    for window in excursions.asked:
        asked, share = window.demand_w, window.share
        table.add_row(
            window.title,
            *(f"{watts:.0f}" for watts in (asked.low, asked.expected, asked.high)),
            UNKNOWN if window.allowed_w is None else f"{window.allowed_w:.0f}",
            asked.unit,
            "" if share is None else f"{100 * share.expected:.0f} %",
            tr("{share:g} % of the time", share=100 * window.duty),
        )
    console.print(table)


def _temperatures(prediction: Prediction) -> Iterator[tuple[str, Band]]:
    heat, busy_c = prediction.heat, prediction.cpu_busy_c
    hottest = heat.hottest
    if hottest is not None:
        where = tr("slot {slot}", slot=hottest.slot) if hottest.slot else tr("without a slot")
        title = tr("Hottest GPU ({where})", where=where)
        if hottest.kept_share < THROTTLED:
            share = 100 * hottest.kept_share
            title = tr("Hottest GPU ({where}, keeps {share:.0f} % of its power)", where=where, share=share)
        yield title, hottest.temperature_c
    if heat.coolant_c is not None:
        yield tr("Coolant"), heat.coolant_c
    if busy_c is not None:
        yield CPU_BUSY_TITLE, busy_c


def _air_words(air: Airflow) -> str:
    """What the fans move in training, against which pressure and how fast."""
    through = air.through_m3h
    crossing = [tr("{flow:.0f} m³/h through the case", flow=through.expected)] if through else []
    moving = [*crossing, *(_group_words(group) for group in air.groups)]
    if not moving:
        return tr("Airflow in training: no case or radiator fan.")
    return tr("Airflow in training: {flows}.", flows=joined(moving, "; "))


def _group_words(group: FanGroup) -> str:
    turning = (
        tr("{speed:.0f} rpm", speed=group.rpm.expected)
        if group.rpm
        else tr("{share:.0f} % of full speed", share=100 * group.speed_share.expected)
    )
    return trn(
        "{place} {count} fan, {flow:.0f} m³/h at {pressure:.1f} Pa, {turning}",
        "{place} {count} fans, {flow:.0f} m³/h at {pressure:.1f} Pa, {turning}",
        place=lowered(group.group.label),
        count=group.count,
        flow=group.flow_m3h.expected,
        pressure=group.pressure_pa.expected,
        turning=turning,
    )


def _energy_words(prediction: Prediction) -> str:
    """What the load takes day and night, and what the room must get rid of."""
    energy = prediction.energy
    day, cost = energy.kwh(24), energy.cost(24)
    heat = tr(
        "{heat:.0f} BTU/h of heat, {cooling:.0f} W for cooling it",
        heat=energy.heat_btu_h.expected,
        cooling=energy.cooling_w.expected,
    )
    words = prediction.conditions.load.phrase
    if cost is None:
        return tr("A day {load} takes {energy:.0f} kWh: {heat}.", load=words, energy=day.expected, heat=heat)
    return tr(
        "A day {load} takes {energy:.0f} kWh, {cost:.2f} at the tariff: {heat}.",
        load=words,
        energy=day.expected,
        cost=cost.expected,
        heat=heat,
    )


def _figure(figure: float, band: Band) -> str:
    return plain("{figure:.1f}" if band.expected < 100 else "{figure:.0f}", figure=figure)


def _print_list(title: str, lines: tuple[str, ...]) -> None:
    if lines:
        console.print(f"\n[bold]{title}[/]")
        for line in lines:
            console.print(f"  · {escape(line)}")
