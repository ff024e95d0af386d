"""Air through the case: enough to carry the heat away, and as much in as out."""

from __future__ import annotations

from core.parts.specs import CaseSpec, GpuSpec
from core.parts.vocabulary import CaseKind, CaseSide, Category, CoolerKind, GpuCooling, Panels
from core.predict.airflow.airflow import AIR_READS, case_air
from core.predict.airflow.flow_paths import INWARD
from core.predict.airflow.operating_point import rise_k, watts_per_k
from core.predict.conditions import LoadCase
from core.rules.changes import AIRY_CASE, CASE_FAN, COOLER_CARDS, OTHER_CASE, Move, OneMore
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.noise_and_heat import drawing
from core.rules.rule import Answer, Reader, Rule, only_if
from core.words import tr, trn

MOST_RISE_K = 15.0
HOPELESS = 1.7
"""So far beyond the limit, better fans than usual of the same number would not do either."""
CFM_PER_M3H = 0.5886
_INTO_CASE: dict[GpuCooling | None, float] = {
    GpuCooling.BLOWER: 0.12,
    GpuCooling.WATER_BLOCK: 0.05,
    GpuCooling.HYBRID: 0.2,
}
"""Share of a card's heat that stays in the case: blowers push 85 to 90 % out of the bracket, water carries it off."""
_LIQUID = (CoolerKind.AIO, CoolerKind.BLOCK)


def _airflow(read: Reader, machine: RuleContext) -> Answer:
    if read(read.case, "kind") is CaseKind.SYSTEM:
        return Answer(Status.PASS, tr("The maker of {case} planned its airflow.", case=read.case.title))
    power, air = machine.power, case_air(machine.build)
    if air.flow_m3h is None:
        return Answer(Status.PASS, tr("{case} is open: no case traps the heat.", case=read.case.title))
    read.all(
        *((line.part, "cooling") for line in machine.lines(Category.GPU)),
        *drawing(machine),
        *((line.part, "kind") for line in machine.lines(Category.CPU_COOLER)),
    )
    for line in machine.lines(Category.GPU):
        read.maybe(line.part, "power_limit_w")  # a limit that is set stands for it, but leaves open what it is of
    watts = _heat_in_case(machine)
    low, _, high = air.flow_m3h
    least, most = (rise_k(watts, flow) for flow in (high, low))
    needed_cfm = watts / (watts_per_k(1.0) * MOST_RISE_K) * CFM_PER_M3H
    read.lacking((*air.missing, *power.dc_w[LoadCase.TRAINING].missing))
    if most > MOST_RISE_K and not (least > HOPELESS * MOST_RISE_K and read.maybe(read.case, "included_fans")):
        _require_flows(read, machine, air.unrated)
    message = tr(
        "{watts:.0f} W stay in the case and need {wanted:.0f} CFM to keep its air {rise_k:.0f} K "
        "above the room; the fans move about {low:.0f} to {high:.0f} CFM.",
        watts=watts,
        wanted=needed_cfm,
        rise_k=MOST_RISE_K,
        low=low * CFM_PER_M3H,
        high=high * CFM_PER_M3H,
    )
    status = Status.PASS if most <= MOST_RISE_K else Status.WARN if least > MOST_RISE_K else Status.NOTE
    return Answer(status, message, high * CFM_PER_M3H, needed_cfm, "CFM")


def _require_flows(read: Reader, machine: RuleContext, missing: tuple[str, ...]) -> None:
    """Raises UnknownFigure for fans whose flow is unknown."""
    for figure in missing:
        part_id, _, field = figure.rpartition(".")
        raise read.give_up(machine.line(part_id).part, field)


def _heat_in_case(machine: RuleContext) -> float:
    """W in training that the air of the case must carry away."""
    of = {line.part.id: line for line in machine.build.lines}
    liquid = any(getattr(line.part.spec, "kind", None) in _LIQUID for line in machine.lines(Category.CPU_COOLER))
    watts = 0.0
    for component in machine.power.components:
        line = of[component.part_id]
        share = 1.0
        if isinstance(line.part.spec, GpuSpec):
            wet = machine.blocks_on(line.part.id) / line.quantity
            share = wet * _INTO_CASE[GpuCooling.WATER_BLOCK] + (1 - wet) * _INTO_CASE.get(line.part.spec.cooling, 1.0)
        elif line.part.category is Category.CPU and liquid:
            share = 0.0
        inside = component.psu_share if component.in_boxes else 1.0
        watts += inside * share * component.dc_w[LoadCase.TRAINING].expected
    return watts


def _balance(read: Reader, machine: RuleContext) -> Answer:
    read(read.case, "kind")
    fans, loose = read.maybe(read.case, "included_fans"), machine.count(Category.FAN)
    if fans is None:
        return _unknown_balance(read, loose + _with_fans(read))
    inward = sum(fan.count for fan in fans if fan.place in INWARD)
    outward = sum(fan.count for fan in fans if fan.place in (CaseSide.REAR, CaseSide.TOP))
    read.about(*(line.part for line in machine.lines(Category.FAN)))
    stock = tr("{fans} in, {outward} out", fans=trn("{count} fan", "{count} fans", count=inward), outward=outward)
    if inward and outward:
        message = tr("{case} comes with {stock}.", case=read.case.title, stock=stock)
        return Answer(Status.PASS, message, inward, outward, "fans")
    loose += _with_fans(read)
    if loose >= 2 or (loose and inward + outward):
        fields: dict[str, object] = {
            "case": read.case.title,
            "stock": stock,
            "fans": trn("{count} fan", "{count} fans", count=loose),
        }
        message = tr("{case} comes with {stock}; {fans} of the build can balance that.", **fields)
        return Answer(Status.PASS, message, inward, outward, "fans")
    if (inward or outward) and read.maybe(read.case, "panels") in (Panels.MESH, Panels.OPEN):
        message = (
            tr("{case} comes with {stock}: the air leaves through its mesh.", case=read.case.title, stock=stock)
            if inward
            else tr("{case} comes with {stock}: the air enters through its mesh.", case=read.case.title, stock=stock)
        )
        return Answer(Status.PASS, message, inward, outward, "fans")
    lacks = tr("no fan that blows out") if inward else tr("no fan that blows in") if outward else tr("no fan")
    way = tr("the air moves only through gaps") if inward + outward + loose else tr("no fan of the case moves the air")
    fields = {"case": read.case.title, "lacks": lacks, "fans": loose or tr("none"), "way": way}
    message = tr("{case} comes with {lacks} and the build adds {fans}: {way}.", **fields)
    return Answer(Status.WARN, message, min(inward + outward + loose, 1), 2, "fans")


def _with_fans(read: Reader) -> int:
    """Radiators of cards and CPU coolers that bring fans of their own: all of one blow the same way."""
    return sum(
        line.quantity
        for line in read.machine.lines(Category.GPU, Category.CPU_COOLER)
        if getattr(line.part.spec, "cooling", None) is GpuCooling.HYBRID
        or getattr(line.part.spec, "kind", None) is CoolerKind.AIO
    )


def _unknown_balance(read: Reader, loose: int) -> Answer:
    """Where the case's own fans are unknown: those of the build can blow both ways, and mesh lets the air through."""
    read.about(*(line.part for line in read.machine.lines(Category.FAN)))
    if loose >= 2:
        message = tr("{fans} of the build can blow in and out.", fans=trn("{count} fan", "{count} fans", count=loose))
        return Answer(Status.PASS, message, loose, 2, "fans")
    if read.maybe(read.case, "panels") in (Panels.MESH, Panels.OPEN):
        message = tr(
            "The air finds its way through the mesh of {case}; count its fans when it arrives.", case=read.case.title
        )
        return Answer(Status.PASS, message)
    raise read.give_up(read.case, "included_fans")


def _closed(machine: RuleContext) -> bool:
    """Whether a builder fits the case with fans."""
    spec = machine.case.spec if machine.case else None
    return isinstance(spec, CaseSpec) and spec.kind in (None, CaseKind.TOWER, CaseKind.RACK)


_CASE = (Category.CASE,)

AIRFLOW_RULES = (
    Rule(
        "airflow",
        tr("Air through the case"),
        tr(
            "CFM = 1.76 x W / 15 K at sea level (20 % more at 1500 m). Heat left in the case: all of "
            "open-air cards, 12 % of blowers, 5 % of water-cooled ones. Fans move less than rated "
            "behind filters, behind doors and in series."
        ),
        "Comair Rotron, 3160 x kW / dT(F); the limit of 15 K and the share that gets through are not confirmed",
        _airflow,
        (Category.CASE, Category.GPU),
        confirmed=False,
        reads=AIR_READS,
        fixes=COOLER_CARDS,
    ),
    Rule(
        "air-balance",
        tr("Air in and out"),
        tr("A case has fans that blow in and fans that blow out; through mesh the air finds its own way."),
        "general practice, not confirmed",
        _balance,
        _CASE,
        subjects=only_if(_closed, tr("No case to fit with fans.")),
        confirmed=False,
        reads=("case.included_fans", "case.kind", "case.panels", "gpu.cooling", "cpu_cooler.kind"),
        fixes=(Move.FASTER_FANS, OneMore(Category.FAN), CASE_FAN, AIRY_CASE, OTHER_CASE),
    ),
)
