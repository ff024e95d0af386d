"""What the commands about parts and builds print for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich.markup import escape
from rich.table import Table

from core.advise.fix import Fix
from core.assessment import Assessment
from core.build.build import Build
from core.cli.options import console
from core.predict.airflow.airflow import Airflow, FanGroup
from core.predict.band import Band
from core.predict.excursions import Excursions
from core.predict.power import WORST_CASE_TITLE
from core.predict.prediction import Prediction
from core.predict.price import PriceTotal
from core.predict.thermal.heat import THROTTLED
from core.rules.figure_names import count_of, figure_phrase, figures_by_part
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
            console.print(f"[dim]        unconfirmed: {escape(figure_phrase(build, finding.unconfirmed))}[/]")
        for figure in finding.needed:
            part_id, _, field = figure.rpartition(".")
            console.print(f"[dim]        rigwright parts set {escape(part_id)} {field}=...[/]", soft_wrap=True)
        for fix in fixes_of(finding):
            but = "".join(f" But: {sentence}" for sentence in fix.brings)
            console.print(f"        suggested fix: {escape(fix.sentence)}[dim]{escape(but)}[/]")


def print_finding(finding: Finding) -> None:
    """Its status, its sentence and its rule."""
    style = STATUS_STYLE[finding.status]
    console.print(f"[{style}]{finding.status.value:<8}[/]{escape(finding.message)}  [dim]({finding.rule})[/]")


def print_counts(findings: tuple[Finding, ...]) -> None:
    """How many findings there are of each status."""
    console.print(f"\n{counts_words(findings)}")


def counts_words(findings: tuple[Finding, ...]) -> str:
    """1 fail, 2 warn, ...; zeros included."""
    return ", ".join(f"{sum(f.status is status for f in findings)} {status.value}" for status in STATUS_STYLE)


def print_prediction(known: Assessment) -> None:
    """Power at the wall, peaks, noise and price, with assumptions and what is missing."""
    build, prediction = known.build, known.prediction
    load = prediction.conditions.load
    table = Table("Prediction", "Low", "Expected", "High", "Unit", box=None)
    for title, band in (
        *((f"Wall power, {each.value}", band) for each, band in prediction.wall_w.items()),
        (WORST_CASE_TITLE, prediction.worst_case.wall_w),
        (f"Current, {load.value}", prediction.current_a[load]),
        *_temperatures(prediction),
        (f"Noise idle ({prediction.noise_idle_word})", prediction.noise_idle),
        (f"Noise training ({prediction.noise_load_word})", prediction.noise_load),
    ):
        table.add_row(
            title, *(f"{figure:.{_decimals(band)}f}" for figure in (band.low, band.expected, band.high)), band.unit
        )
    console.print(table)
    for held in prediction.throttled:
        console.print(f"[yellow]{escape(held.sentence)}.[/]  [dim]({escape(held.title)})[/]")
    _print_peaks(prediction.excursions)
    console.print(_energy_words(prediction))
    console.print(_air_words(prediction.heat.air))
    _print_list("Not predicted", prediction.heat.unknown)
    _print_list("What to change first to get quieter", prediction.quieter)
    _print_list("Tones", prediction.tonal_risks)
    console.print(f"\nNoise is heard at {prediction.conditions.distance_m:g} m.")
    print_price(known.price)
    _print_list("Assumptions", prediction.assumptions)
    unknown = tuple(f"{title}: {fields}" for title, fields in figures_by_part(build, prediction.missing))
    _print_list("Unknown figures that widen the bands", unknown)


def print_price(price: PriceTotal) -> None:
    """The total of the parts, and what it rests on."""
    console.print(f"Price: {escape(price.words)}. [dim]{escape(' '.join(price.basis))}[/]")


def _print_peaks(excursions: Excursions) -> None:
    """What is asked for in each window of time, against what the supplies must bear."""
    console.print()
    table = Table("Peaks of", "Low", "Expected", "High", "Capability", "Unit", "Used", "For at most", box=None)
    for window in excursions.windows:
        asked, share = window.demand_w, window.share
        table.add_row(
            window.title,
            *(f"{watts:.0f}" for watts in (asked.low, asked.expected, asked.high)),
            "unknown" if window.allowed_w is None else f"{window.allowed_w:.0f}",
            asked.unit,
            "" if share is None else f"{100 * share.expected:.0f} %",
            f"{100 * window.duty:g} % of the time",
        )
    console.print(table)


def _temperatures(prediction: Prediction) -> Iterator[tuple[str, Band]]:
    heat, busy_c = prediction.heat, prediction.cpu_busy_c
    hottest = heat.hottest
    if hottest is not None:
        where = f"slot {hottest.slot}" if hottest.slot else "without a slot"
        kept = f", keeps {100 * hottest.kept_share:.0f} % of its power" if hottest.kept_share < THROTTLED else ""
        yield f"Hottest GPU ({where}{kept})", hottest.temperature_c
    if heat.coolant_c is not None:
        yield "Coolant", heat.coolant_c
    if busy_c is not None:
        yield "CPU, all cores", busy_c


def _air_words(air: Airflow) -> str:
    """What the fans move in training, against which pressure and how fast."""
    through = air.through_m3h
    crossing = [f"{through.expected:.0f} m³/h cross the case"] if through else []
    groups = [_group_words(group) for group in air.groups]
    return f"\nAir in training: {'; '.join([*crossing, *groups]) or 'no fan of case or radiator'}."


def _group_words(group: FanGroup) -> str:
    turning = (
        f"{group.rpm.expected:.0f} rpm" if group.rpm else f"{100 * group.speed_share.expected:.0f} % of their speed"
    )
    moved = f"{group.flow_m3h.expected:.0f} m³/h at {group.pressure_pa.expected:.1f} Pa"
    return f"{group.group.value} {count_of(group.count, 'fan')}, {moved}, {turning}"


def _energy_words(prediction: Prediction) -> str:
    """What the load takes day and night, and what the room must get rid of."""
    energy = prediction.energy
    day, cost = energy.kwh(24), energy.cost(24)
    price = f", {cost.expected:.2f} at the tariff" if cost else ""
    heat = f"{energy.heat_btu_h.expected:.0f} BTU/h of heat, {energy.cooling_w.expected:.0f} W for cooling it"
    return f"\nA day {prediction.conditions.load.words} takes {day.expected:.0f} kWh{price}: {heat}."


def _decimals(band: Band) -> int:
    return 1 if band.expected < 100 else 0


def _print_list(title: str, lines: tuple[str, ...]) -> None:
    if lines:
        console.print(f"\n[bold]{title}[/]")
        for line in lines:
            console.print(f"  · {escape(line)}")
