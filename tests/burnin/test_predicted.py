"""What a plan predicts of a run: of devices under load, of its power, and when formats can be compared."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from core.burnin.profile.profile import Profile, StageSettings
from core.burnin.record.rows import StageResult
from core.burnin.verdict.predicted import FormatPeriod, PlannedRun, expected_power, format_periods
from core.cli.lookup import read_build
from core.loads.inference.contract import InferenceEvidence, ServedModel
from core.machine.asbuilt.as_built import AsBuilt, BuiltCard, MachineFacts
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.metrics import WALL
from core.machine.telemetry.source import WALL_ID
from core.parts.compute import GpuSpec
from core.parts.part import Part
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.line import Line
from core.predict.band import Band
from core.predict.conditions import Conditions, LoadCase
from core.predict.prediction import predict
from core.predict.speed.card_speed import gemm_share, kept_rate
from core.predict.speed.networks import ComputePrecision
from core.predict.speed.peaks import peaks_of
from tests.burnin.made_run import CARD, PROCESSOR, ended, stage
from tests.shipped import shipped_of, templates

SIX, FOUR = templates()["six-rtx-3090-first-attempt"], templates()["four-used-rtx-3090"]


@pytest.fixture(scope="module")
def six() -> PlannedRun:
    return PlannedRun(SIX)


def in_slot(plan: Build, position: int | None) -> PlannedRun:
    cards = (BuiltCard("GPU-9", "Another", position=1), BuiltCard(CARD.id, CARD.name, position=position))
    return PlannedRun(plan, AsBuilt("2026-01-01T00:00:00Z", MachineFacts(), cards))


def around(bands: list[Band]) -> tuple[float, float, float]:
    low, high = min(band.low for band in bands), max(band.high for band in bands)
    return low, pytest.approx(sum(band.expected for band in bands) / len(bands)), high


@pytest.mark.parametrize(
    ("kind", "load"),
    [
        ("idle", LoadCase.IDLE), ("gemm", LoadCase.TRAINING), ("soak", LoadCase.TRAINING),
        ("resnet", LoadCase.TRAINING), ("transformer", LoadCase.TRAINING), ("whole-system", LoadCase.EVERYTHING),
        ("vram", None), ("host-link", None), ("transients", None), ("cooldown", None), ("lstm", None),
    ],
)  # fmt: skip
def test_each_stage_has_the_band_of_its_load_around_all_cards_of_the_product(
    six: PlannedRun, kind: str, load: LoadCase | None
) -> None:
    bands, of_cpu = six.bands(kind, CARD), six.bands(kind, PROCESSOR)
    if load is None:
        assert bands == of_cpu == {}
        return
    heat = six.prediction.at(load)
    assert len(heat.cards) == 6
    for name, unit in (("power_w", "W"), ("temperature_c", "°C")):
        band = bands[name]
        assert band.unit == unit
        assert (band.low, band.expected, band.high) == around([getattr(card, name) for card in heat.cards])
    fans = [card.fan_share.times(100) for card in heat.cards]
    assert (bands["fan_pct"].low, bands["fan_pct"].expected, bands["fan_pct"].high) == around(fans)
    assert bands["fan_pct"].unit == "%"
    noise = {LoadCase.IDLE: six.prediction.noise_idle_in_room, LoadCase.TRAINING: six.prediction.noise_load_in_room}
    expected = {
        "power_w": heat.heat.cpu_w, "temperature_c": heat.heat.cpu_c, "noise_dba": noise.get(load),
        "machine_power_w": six.prediction.wall_w[load],
    }  # fmt: skip
    assert of_cpu == {name: band for name, band in expected.items() if band is not None}
    assert six.bands(kind, replace(CARD, parent="GPU-9")) == {}


def test_a_wall_meter_has_the_band_of_the_whole_machine_and_an_unknown_stage_none(six: PlannedRun) -> None:
    meter = Device(WALL_ID, DeviceKind.WALL, "Smart plug")
    assert six.bands("soak", meter) == {WALL: six.prediction.wall_w[LoadCase.TRAINING]}
    assert six.bands("vram", meter) == {}


def test_a_card_of_which_the_slot_is_known_has_the_band_of_that_slot() -> None:
    cards = PlannedRun(FOUR).prediction.at(LoadCase.TRAINING).cards
    assert len({card.temperature_c.expected for card in cards}) > 1, "the slots differ"
    for card in cards:
        planned = in_slot(FOUR, card.slot)
        assert planned.slot(CARD) == card.slot
        assert planned.bands("soak", CARD)["temperature_c"] == card.temperature_c
        link = planned.link(CARD)
        assert link.slot.position == card.slot
    nowhere = in_slot(FOUR, None)
    assert (nowhere.slot(CARD), nowhere.link(CARD)) == (None, None)
    assert nowhere.bands("soak", CARD) == in_slot(FOUR, 99).bands("soak", CARD) == PlannedRun(FOUR).bands("soak", CARD)
    assert PlannedRun(SIX).slot(CARD) is None
    assert in_slot(SIX, 1).slot(replace(CARD, id="GPU-5")) is None


def test_the_room_of_the_run_is_that_of_the_prediction() -> None:
    hot, usual = PlannedRun(SIX, room_c=38.0).prediction, PlannedRun(SIX).prediction
    for actual, expected in ((hot, predict(SIX, Conditions(room_c=38.0))), (usual, predict(SIX))):
        temperatures = [[card.temperature_c for card in one.at(LoadCase.TRAINING).cards] for one in (actual, expected)]
        assert temperatures[0] == temperatures[1]
    assert hot.at(LoadCase.TRAINING).cards[0].temperature_c != usual.at(LoadCase.TRAINING).cards[0].temperature_c


def test_of_a_module_on_a_baseboard_the_power_of_one_is_known() -> None:
    planned = PlannedRun(templates()["eight-h200-hgx"])
    module = Device("GPU-0", DeviceKind.GPU, "NVIDIA H200", memory_mb=143_771)
    [(line, _)] = planned.plan.gpus()
    bands = planned.bands("soak", module)
    assert set(bands) == {"power_w"}
    whole = planned.prediction.at(LoadCase.TRAINING).part_w[line.part.id]
    assert bands["power_w"].expected == pytest.approx(whole.expected / line.quantity)
    assert planned.bands("soak", CARD) == {}, "the plan has none of it"
    assert planned.rates("soak", CARD) == {}


def alone(product: str, **line: Any) -> tuple[PlannedRun, Device, Part]:
    part = next(
        one for one in shipped_of(Category.GPU) if isinstance(one.spec, GpuSpec) and one.spec.product == product
    )
    device = Device("GPU-0", DeviceKind.GPU, f"NVIDIA {product}")
    return PlannedRun(Build("Plan", (Line(part, 1, **line),))), device, part


@pytest.mark.parametrize(
    ("product", "formats"),
    [
        ("GeForce RTX 3090", {"float32", "tf32", "float16", "bfloat16"}),
        ("GeForce RTX 2080 Ti", {"float32", "float16", "bfloat16"}),
        ("GeForce GTX 1080 Ti", {"float32"}),
    ],
)
def test_rates_are_of_the_formats_that_the_cards_units_compute(product: str, formats: set[str]) -> None:
    planned, device, part = alone(product)
    precisions = {
        "float32": ComputePrecision.FP32, "tf32": ComputePrecision.TF32, "float16": ComputePrecision.MIXED,
        "bfloat16": ComputePrecision.MIXED,
    }  # fmt: skip
    rates = planned.rates("gemm", device)
    assert set(rates) == formats
    assert rates == planned.rates("soak", device)
    assert isinstance(part.spec, GpuSpec)
    for name, band in rates.items():
        peak, share = peaks_of(part).rate(precisions[name]), gemm_share(part.spec, precisions[name])
        assert peak is not None
        assert band.unit == "TFLOPS"
        figures = (value * part_of for value, part_of in zip(peak.values, share, strict=True))
        assert (band.low, band.expected, band.high) == pytest.approx(tuple(figures))
    assert planned.rates("resnet", device) == planned.rates("gemm", replace(device, parent="GPU-9")) == {}


MODEL = ServedModel(layers=24, width=2048, heads=16)


def answered(served: ServedModel | None, precision: str = "bf16") -> InferenceEvidence:
    model = None if served is None else asdict(served)
    return ended(0, model=model, precision=precision).evidence_as(InferenceEvidence)


def test_a_language_model_decodes_no_faster_than_memory_reads_its_weights_and_more_requests_share_them(
    six: PlannedRun,
) -> None:
    alone = six.answer_rates(answered(MODEL), CARD)["decode"]
    many = six.answer_rates(answered(replace(MODEL, requests=8)), CARD)["decode"]
    assert 0 < alone.low <= alone.high < 936e9 / (2 * MODEL.parameters)
    assert many.low > alone.high


@pytest.mark.parametrize(
    ("evidence", "device"),
    [
        (answered(None), CARD),
        (answered(MODEL, "fp32"), CARD),
        (answered(MODEL), replace(CARD, parent="GPU-9")),
        (answered(MODEL), replace(CARD, name="Another")),
    ],
)
def test_no_rate_of_answers_is_predicted_without_model_or_card_or_for_32_bits(
    six: PlannedRun, evidence: InferenceEvidence, device: Device
) -> None:
    assert six.answer_rates(evidence, device) == {}


def test_a_power_limit_of_the_plan_lowers_its_rates() -> None:
    (free, device, part), (limited, _, _) = alone("GeForce RTX 3090"), alone("GeForce RTX 3090", power_limit_w=210.0)
    assert isinstance(part.spec, GpuSpec)
    assert part.spec.power_limit_w is not None
    share = kept_rate(part, 210.0 / part.spec.power_limit_w)
    whole, lowered = (planned.rates("gemm", device)["tf32"] for planned in (free, limited))
    assert (lowered.low, lowered.expected, lowered.high) == pytest.approx(
        (whole.low * share.low, whole.expected * share.expected, whole.high * share.high)
    )
    assert lowered.expected < whole.expected
    assert lowered.assumptions == share.assumptions


LIMITED = Device("GPU-1", DeviceKind.GPU, "NVIDIA GeForce RTX 3090", memory_mb=24_576, power_limit_w=350.0)
UNKNOWN = replace(LIMITED, id="GPU-9", power_limit_w=None)


def profile(*kinds: str) -> Profile:
    return Profile(name="own", title="Own", stages=tuple(StageSettings(kind=kind, seconds=60) for kind in kinds))


@pytest.fixture(scope="module")
def plan(module_data_dir: Path) -> Build:
    """The shipped machine of six cards."""
    return read_build("six-rtx-3090-first-attempt", module_data_dir)


def test_without_a_plan_the_power_limits_are_summed() -> None:
    expected = expected_power(profile("gemm"), [LIMITED, LIMITED], None)
    assert expected.watts == 700
    assert "700 W" in expected.sentence
    assert "2 x 350 W" in expected.sentence
    assert ", plus " in expected.sentence


def test_an_unknown_limit_is_no_zero() -> None:
    assert "at least 350 W" in expected_power(profile("gemm"), [LIMITED, UNKNOWN], None).sentence
    assert expected_power(profile("gemm"), [UNKNOWN], None).watts is None


def test_with_all_cards_of_the_plan_it_is_what_was_predicted_at_the_wall(plan: Build) -> None:
    expected = expected_power(profile("gemm"), [LIMITED] * 6, plan)
    assert "at the wall" in expected.sentence
    assert expected.watts is not None
    assert expected.watts > 6 * 350
    fewer = expected_power(profile("gemm"), [LIMITED] * 4, plan)
    assert fewer.watts == 4 * 350


def test_the_whole_system_draws_more_than_training(plan: Build) -> None:
    training = expected_power(profile("gemm"), [LIMITED] * 6, plan).watts
    everything = expected_power(profile("whole-system"), [LIMITED] * 6, plan).watts
    assert training is not None
    assert everything is not None
    assert everything > training


def test_a_profile_without_a_load_draws_nothing_and_simulated_cards_neither() -> None:
    assert expected_power(profile("preflight", "idle"), [LIMITED], None).watts == 0
    assert "SIMULATED" in expected_power(profile("gemm"), [replace(LIMITED, simulated=True)], None).sentence


BEGAN_S = 1000.0


def periods(kind: str, results: Any = (), *, before: tuple[str, ...] = (), dtypes: str = "", **row: Any) -> Any:
    """Of the last stage, after these others; its load began at 1000 s."""
    kinds = (*before, kind)
    settings = [StageSettings(kind=one, seconds=10) for one in before]
    settings.append(StageSettings(kind=kind, seconds=10, params={"dtypes": dtypes} if dtypes else {}))
    stages = [stage(number, one) for number, one in enumerate(before)]
    last = stage(len(before), kind, **({"end_s": None} | row))
    profile = Profile(name="x", title="x", stages=tuple(settings))
    by_number: dict[int, StageResult] = {result.number: result for result in results}
    rows = list(format_periods(profile, [*stages, last], by_number, last, BEGAN_S))
    assert len(kinds) == len(stages) + 1
    return rows


def swept(number: int, **power_w: float) -> StageResult:
    return ended(number, power_by_format_w={name.replace("_", "+"): watts for name, watts in power_w.items()})


TURNS = {"tf32": [0.0, 10.0], "tf32+memory": [10.0, 12.0], "float64": [12.0, 20.0]}


@pytest.mark.parametrize("kind", ["gemm", "soak"])
def test_a_stage_that_is_over_tells_when_each_format_ran_by_itself(kind: str) -> None:
    expected = [FormatPeriod("tf32", 1000.0, 1010.0), FormatPeriod("float64", 1012.0, 1020.0)]
    assert periods(kind, [ended(0, periods=TURNS)], end_s=100.0) == expected
    assert periods(kind, [ended(0)], dtypes="tf32") == [], "it is over, and told nothing"
    assert periods("vram", [ended(0, periods=TURNS)]) == []
    assert periods(kind, [ended(0, periods=TURNS)], start_s=None) == []


@pytest.mark.parametrize(
    ("kind", "dtypes", "names"),
    [
        ("gemm", "tf32", ["tf32"]), ("soak", "tf32", ["tf32"]), ("soak", "tf32+memory", []),
        ("soak", "tf32,float64", []),
        ("gemm", "", []), ("soak", "", []),
    ],
)  # fmt: skip
def test_a_stage_that_goes_on_is_known_where_its_profile_names_one_format(
    kind: str, dtypes: str, names: list[str]
) -> None:
    assert periods(kind, dtypes=dtypes) == [FormatPeriod(name, BEGAN_S, None) for name in names]
    assert periods(kind, dtypes=dtypes, end_s=100.0) == [], "it is over, and its result is not there yet"


@pytest.mark.parametrize(
    ("kind", "before", "results", "names"),
    [
        ("soak", ("gemm",), [swept(0, tf32=300.0, float64=100.0)], ["tf32"]),
        ("soak", ("gemm",), [swept(0, tf32=300.0, tf32_memory=310.0)], []),
        ("soak", ("gemm", "gemm"), [swept(0, tf32=300.0), swept(1, float64=1.0)], ["float64"]),
        ("soak", ("gemm", "gemm"), [swept(0, tf32=300.0), swept(1)], ["tf32"]),
        ("soak", ("gemm", "gemm"), [swept(0, tf32=300.0)], ["tf32"]),
        ("soak", ("vram",), [swept(0, tf32=300.0)], []),
        ("gemm", ("gemm",), [swept(0, tf32=300.0)], []),
        ("soak", ("gemm",), [], []),
    ],
)
def test_a_soak_runs_in_the_hottest_format_of_the_sweep_before_it(
    kind: str, before: tuple[str, ...], results: Any, names: list[str]
) -> None:
    assert periods(kind, results, before=before) == [FormatPeriod(name, BEGAN_S, None) for name in names]


def test_a_sweep_after_a_soak_says_nothing_of_it() -> None:
    settings = tuple(StageSettings(kind=kind, seconds=10) for kind in ("soak", "gemm"))
    stages = [stage(0, "soak", end_s=None), stage(1, "gemm")]
    profile = Profile(name="x", title="x", stages=settings)
    assert list(format_periods(profile, stages, {1: swept(1, tf32=300.0)}, stages[0], BEGAN_S)) == []
