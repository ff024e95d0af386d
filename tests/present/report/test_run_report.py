"""The document of a recorded run."""

import json
import time
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from core.burnin.profile.file import find_profile
from core.burnin.record.rows import (
    SOFTWARE,
    EventLevel,
    InterruptionKind,
    ResultStatus,
    RunDevice,
    StageResult,
    StageStatus,
)
from core.burnin.record.store import RunStore
from core.machine.telemetry.metrics import METRICS
from core.plan.build import Build
from core.platform.errors import BadInput
from core.predict.prediction import predict
from core.present.report.document import Badge, Document, Heading, Illustration, KeyValues, Paragraph, Table, Tone
from core.present.report.recorded_run import RecordedRun, short_title
from core.present.report.run_report import run_document
from core.present.report.run_tables import MAX_EVENTS
from tests.burnin.begun_run import begun
from tests.present.report.recorded import CHINESE, HOSTILE, SECONDS, STAGES, TITLES, UUIDS, device, profile, record_run


def tables(document: Document, first_column: str) -> list[Table]:
    return [block for block in document.blocks if isinstance(block, Table) and block.columns[0].title == first_column]


def figures(document: Document) -> dict[str, Illustration]:
    return {block.title: block for block in document.blocks if isinstance(block, Illustration)}


def everything_said(document: Document) -> str:
    texts = [document.title, document.subtitle]
    for block in document.blocks:
        match block:
            case Paragraph(text):
                texts.append(text)
            case KeyValues(rows):
                texts += [cell for row in rows for cell in row]
            case Table(_, rows):
                texts += [cell.word if isinstance(cell, Badge) else cell for row in rows for cell in row]
    return "\n".join(texts)


def test_every_reason_stands_with_its_figure_limit_unit_and_source(document: Document) -> None:
    [reasons] = tables(document, "Cause")
    assert reasons.rows[0] == (
        "1",
        "GPU 1",
        Badge("FAIL", Tone.FAIL),
        "3 wrong results in 800 comparisons.",
        "3\N{NO-BREAK SPACE}errors",
        "0\N{NO-BREAK SPACE}errors",
        "criterion of the profile",
    )
    assert [str(row[3])[:13] for row in reasons.rows] == ["3 wrong resul", "Verified GEMM"], "what passed comes after"


def test_causes_stand_on_top_with_the_card_to_look_for_and_what_to_do(document: Document) -> None:
    assert document.badge == Badge("FAIL", Tone.FAIL)
    heading, causes = document.blocks[:2]
    assert heading == Heading("Causes")
    assert isinstance(causes, Table)
    [(number, outcome, cause, where, action)] = causes.rows
    assert (number, outcome) == ("1", Badge("FAIL", Tone.FAIL))
    assert cause == "GPU 1: 3 wrong results, first at 1:01 during Verified GEMM."
    assert where == "GPU 1: PCI 0000:61:00.0"
    assert "replace a card that computes wrongly twice" in str(action)
    assert document.data["causes"][0]["kind"] == "wrong_results"


def test_what_computed_is_reported_with_its_versions_on_the_first_page(store: RunStore) -> None:
    run_id = record_run(store)
    store.add_event(run_id, 19.0, EventLevel.INFO, SOFTWARE, "PyTorch 2.8.0, CUDA 12.8")
    document = run_document(store, run_id)
    facts = next(block for block in document.blocks if isinstance(block, KeyValues))
    assert ("Software", "PyTorch 2.8.0, CUDA 12.8") in facts.rows
    assert document.data["run"]["software"] == ["PyTorch 2.8.0, CUDA 12.8"]


def test_each_device_is_reported_with_its_errors_by_kind_and_the_time_of_the_first(document: Document) -> None:
    [devices] = [block for block in tables(document, "Device") if block.columns[3].title == "Errors"]
    assert [row[2:] for row in devices.rows] == [
        ("", "", ""), ("PASSED", "no errors", ""), ("FAILED", "3 wrong results", "1:01"),
    ]  # fmt: skip


def test_a_simulated_run_says_so_in_title_rows_and_every_caption(document: Document) -> None:
    assert document.simulated
    assert all(figure.caption.startswith("SIMULATED") for figure in figures(document).values())
    [devices] = [block for block in tables(document, "Device") if block.columns[1].title == "Identity"]
    assert all("(SIMULATED)" in str(row[0]) for row in devices.rows)


def test_a_measured_run_never_says_simulated(store: RunStore) -> None:
    document = run_document(store, record_run(store, simulated=False))
    assert not document.simulated
    assert "SIMULATED" not in everything_said(document)
    assert not any("SIMULATED" in figure.caption + figure.svg for figure in figures(document).values())


@pytest.mark.parametrize("name", ["first-light", "quick"])
def test_a_run_with_a_profile_name_that_is_not_shipped_any_more_is_read_and_shown(
    store: RunStore, run_id: int, name: str
) -> None:
    with pytest.raises(BadInput):
        find_profile(name)
    with store._db.atomic():
        store._db.execute("DELETE FROM links")
        store._db.execute("UPDATE runs SET profile = json_set(profile, '$.name', ?) WHERE id = ?", (name, run_id))
    assert store.runs()[0].profile.name == name
    assert f"Test profile ({name})" in everything_said(run_document(store, run_id))


def test_a_stage_that_was_not_run_stands_with_its_reason(document: Document) -> None:
    [stages] = tables(document, "Stage")
    not_run = [row for row in stages.rows if row[2] == Badge("NOT RUN", Tone.UNKNOWN)]
    assert [(row[1], row[3]) for row in not_run] == [
        ("GeForce RTX 3090 @ 61:00.0 (SIMULATED)", "The device is lost: it fell off the bus.")
    ]


def test_evidence_of_a_load_stands_with_units_and_the_self_test(document: Document) -> None:
    text = everything_said(document)
    assert "float32 27.1 TFLOPS, bfloat16 65.2 TFLOPS" in text
    assert "First loss: 5.5; Last loss: 2.6; Loss fell: yes" in text
    assert "Self test: seen repeatable, bitflip, passed yes" in text
    assert "Warning: The power limit is set low." in text


def test_statistics_are_those_of_the_samples_until_the_report_was_begun(store: RunStore, run_id: int) -> None:
    record = RecordedRun.read(store, run_id)
    store.add_tick(run_id, record.seconds + 5, {UUIDS[1]: {"temperature_c": 200.0}})
    summary = record.summary(UUIDS[1], "temperature_c")
    stats = summary.statistics
    assert (stats.count, stats.last, stats.lowest, stats.highest, stats.highest_at_s) == (80, 78.0, 38.0, 78.0, 50.0)
    assert stats.mean == pytest.approx(float(np.mean(record.series(UUIDS[1], "temperature_c")[1])))


def test_a_sensor_that_one_device_lacks_is_not_measured_and_not_zero(document: Document) -> None:
    [measured] = tables(document, "Metric")
    rows = [row for row in measured.rows if row[0] == "Fan, %" or row[2] == "not measured"]
    assert [row[2] for row in rows] == ["30", "not measured"]


def test_counters_are_told_by_their_growth_and_states_by_their_values(store: RunStore, run_id: int) -> None:
    """Those that stood still are only named."""
    readings: dict[str, tuple[float, ...]] = {
        "pcie_replays": (7, 7, 12, 12),
        "energy_j": (100, 5, 30, 30),
        "ecc_corrected": (2, 2, 2, 2),
        "performance_state": (0, 2, 8, 2),
        "remap_pending": (0, 0, 0, 0),
    }
    for place in range(4):
        store.add_tick(run_id, SECONDS + place, {UUIDS[0]: {name: values[place] for name, values in readings.items()}})
    document = run_document(store, run_id)
    [counters], [states] = tables(document, "Counter"), tables(document, "State")
    assert [(row[0], *row[2:]) for row in counters.rows] == [
        ("Energy, J", "100", "30", "30"),
        ("PCIe replays", "7", "12", "5"),
    ]
    assert [(row[0], row[2]) for row in states.rows] == [("Performance state", "0, 2, 8")]
    text = everything_said(document)
    assert "Did not increase on any device: ECC corrected." in text
    assert "0 on every device throughout: Remap pending." in text
    [measured] = tables(document, "Metric")
    assert not any(str(row[0]).startswith("Performance state") for row in measured.rows)


def test_metrics_that_no_device_has_are_listed_and_not_drawn(document: Document) -> None:
    assert "Not measured on any device: Memory temperature, Margin," in everything_said(document)
    assert "PCIe generation" in everything_said(document)
    drawn = "Temperature", "Power", "Clock", "Utilisation", "Fan", "Throughput", "Tokens", "Loss", "Errors"
    assert tuple(figures(document)) == drawn
    assert document.data["not_measured"][0] == "memory_temperature_c"


def test_figures_name_devices_stages_limits_and_the_predicted_band(document: Document) -> None:
    drawn = figures(document)
    temperature, power = drawn["Temperature"], drawn["Power"]
    for text in ("GeForce RTX 3090 @ 61:00.0 (SIMULATED)", "Verified GEMM", "slowdown 93 °C", "Temperature, °C"):
        assert text in temperature.svg
    assert "predicted per card" in power.svg
    assert "from 28\N{NO-BREAK SPACE}W to 346\N{NO-BREAK SPACE}W" in power.alt
    for figure in drawn.values():
        assert figure.svg.startswith("<svg")
        assert not [outside for outside in ("<image", 'href="http') if outside in figure.svg]


def test_clock_limits_are_named_with_the_share_of_samples(document: Document) -> None:
    [limits] = [block for block in tables(document, "Device") if block.columns[1].title == "Reason"]
    assert limits.rows[0][1:4] == ("Power limit", Badge("normal", Tone.PLAIN), "66.7\N{NO-BREAK SPACE}%")


def test_plan_and_measurement_stand_side_by_side(document: Document, build: Build) -> None:
    [compared] = [block for block in tables(document, "Device") if block.columns[1].title == "Planned slot"]
    cards = predict(build).heat.cards
    low, high = min(card.power_w.low for card in cards), max(card.power_w.high for card in cards)
    power, alone = compared.rows
    assert power[2:4] == ("Verified GEMM", "Power")
    assert (f"{low:.0f}" in str(power[4]), f"{high:.0f}" in str(power[4])) == (True, True)
    assert power[5:] == ("346\N{NO-BREAK SPACE}W", Badge("within", Tone.PASS))
    assert str(alone[2]).startswith("Nothing was compared for this device")
    assert document.data["plan"]["name"] == build.name
    assert [one["place"] for one in document.data["plan"]["compared"]] == ["within"]


@pytest.mark.parametrize("build", ['{"format": "other"}', None])
def test_a_plan_that_cannot_be_opened_is_reported_and_one_that_is_not_there_has_no_chapter(
    store: RunStore, build: str | None
) -> None:
    document = run_document(store, record_run(store, build=build))
    assert ("The plan cannot be shown." in everything_said(document)) == (build is not None)
    assert "Planned slot" not in str(document.blocks)
    plan = document.data["plan"]
    assert plan is None if build is None else plan["prediction"] is None


@pytest.mark.parametrize(("interrupted", "word"), [(False, "RUNNING"), (True, "INTERRUPTED")])
def test_a_run_without_verdict_says_why(store: RunStore, interrupted: bool, word: str) -> None:
    run_id = record_run(store, verdict=False)
    if interrupted:
        store.mark_interrupted(run_id, InterruptionKind.KILLED, "Its runner ended unexpectedly.")
    document = run_document(store, run_id)
    assert document.badge == Badge(word, Tone.UNKNOWN)
    assert "There is no verdict" in everything_said(document)
    assert tables(document, "Subject") == []


def test_interruptions_are_a_table_and_the_wall_clock_counts_the_pause(store: RunStore) -> None:
    run_id = record_run(store, verdict=False)
    assert tables(run_document(store, run_id), "After") == []
    measured_s = store.last_time_s(run_id)
    store.mark_interrupted(run_id, InterruptionKind.KILLED, "Its runner ended unexpectedly.")
    with store._db.atomic():
        store._db.execute("UPDATE beats SET monotonic_s = ?", (time.monotonic() - 3600.0,))
    store.set_runner(run_id, 1, store.run(run_id).boot_id)
    store.finish(run_id, [])
    document = run_document(store, run_id)
    (table,) = tables(document, "After")
    assert [row[2] for row in table.rows] == ["Runner killed", "Resumed"]
    assert [row[3] for row in table.rows] == ["–", "1 h 0 min"]
    assert document.data["run"]["wall_s"] == pytest.approx(measured_s + 3600.0, abs=5)


def test_a_run_that_has_just_begun_has_a_report_too(store: RunStore) -> None:
    run_id = begun(store, devices=[RunDevice(device(0), 0, True)], profile=profile())
    document = run_document(store, run_id)
    assert "No sample was recorded." in [table.empty for table in tables(document, "Metric")]
    [stages] = tables(document, "Stage")
    assert [row[2] for row in stages.rows] == [Badge("NOT REACHED", Tone.UNKNOWN)] * len(STAGES)
    assert figures(document) == {}


def test_a_stage_that_was_cut_off_is_not_called_passed(store: RunStore) -> None:
    run_id = record_run(store, verdict=False)
    store.start_stage(run_id, 4, 100.0, "boot-1")
    [stages] = tables(run_document(store, run_id), "Stage")
    assert store.stages(run_id)[4].status is StageStatus.RUNNING
    assert "planned 20 s" in str(stages.rows[8][0])


def test_of_very_many_events_the_loud_ones_stay_and_json_has_all(store: RunStore) -> None:
    run_id = record_run(store)
    for second in range(MAX_EVENTS + 50):
        store.add_event(run_id, float(second), EventLevel.INFO, "note", f"event {second}")
    store.add_event(run_id, 1e4, EventLevel.ERROR, "late", "the last and loudest")
    document = run_document(store, run_id)
    [events] = tables(document, "Time")
    assert len(events.rows) == MAX_EVENTS
    assert events.rows[-1][3] == "the last and loudest"
    assert "further events are left out" in everything_said(document)
    assert len(document.data["events"]) == MAX_EVENTS + 55


def test_short_titles_keep_name_place_and_origin_and_twins_are_told_apart_by_their_id(store: RunStore) -> None:
    assert short_title(device(0)) == "GeForce RTX 3090 @ 41:00.0 (SIMULATED)"
    assert short_title(device(1, simulated=False)) == "GeForce RTX 3090 @ 61:00.0"
    twins = [RunDevice(device(position), position, True) for position in range(2)]
    same = [RunDevice(type(row.device)(row.device.id, row.device.kind, "CPU"), row.position, True) for row in twins]
    run_id = store.create_run(
        title="t", profile=profile(), devices=same, stage_titles=TITLES, boot_id="b", machine="m", version="0"
    )
    assert RecordedRun.read(store, run_id).label(UUIDS[0]) == f"CPU [{UUIDS[0]}]"


def test_the_data_are_plain_json_that_describes_every_metric(document: Document) -> None:
    data = json.loads(json.dumps(document.data, allow_nan=False))
    assert data["run"]["note"].startswith(f"备注: {CHINESE}")
    assert {verdict["outcome"] for verdict in data["verdicts"]} == {"FAIL", "PASS"}
    assert data["devices"][0]["statistics"]["temperature_c"]["highest"] == 75.0
    assert data["devices"][1]["statistics"]["fan_pct"] is None
    assert set(data["metrics"]) == {metric.name for metric in METRICS} - {"throttle_mask"}
    assert data["stages"][2]["results"][0]["evidence"]["checks"] == 500
    assert data["events"][1]["message"] == HOSTILE
    assert data["run"]["recorded_s"] == SECONDS - 1


def test_a_run_that_does_not_exist_is_refused_in_words(store: RunStore) -> None:
    with pytest.raises(BadInput, match="no run 7"):
        run_document(store, 7)


def test_a_report_never_holds_more_than_one_metric_of_one_device_at_a_time(
    store: RunStore, run_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = []
    read = store.samples

    def samples(run: int, device_id: str, after_s: float = -1.0, names: Sequence[str] = ()) -> NDArray[np.float64]:
        reads.append((device_id, tuple(names)))
        return read(run, device_id, after_s, names)

    monkeypatch.setattr(store, "samples", samples)
    run_document(store, run_id)
    assert all(len(names) == 1 for _, names in reads)
    assert len(reads) < 2 * len(METRICS) * len(UUIDS)


def test_answers_of_a_language_model_are_a_row_for_each_card(store: RunStore, run_id: int) -> None:
    model = {"layers": 32, "width": 4096}
    evidence: dict[str, object] = {
        "model": model, "parameters": 6_658_000_000, "precision": "bf16", "requests": 4, "rate_unit": "tokens/s",
        "rates": {"prefill": 3012.5, "decode": 181.25}, "decode_gbps": 655.0, "share_of_bandwidth_pct": 70.0,
    }  # fmt: skip
    store.add_result(run_id, StageResult(1, UUIDS[0], ResultStatus.PASSED, "", evidence))
    store.add_result(run_id, StageResult(1, UUIDS[1], ResultStatus.STOPPED, "", {"model": model, "rates": {}}))
    [table] = [one for one in tables(run_document(store, run_id), "Device") if one.columns[3].title == "Prefill"]
    assert [[str(cell).replace("\N{NO-BREAK SPACE}", " ") for cell in row[1:]] for row in table.rows] == [
        ["6.66 billion parameters, bf16", "4", "3012 tokens/s", "181 tokens/s", "655 GB/s", "70 %"],
        ["unknown", "unknown", "not measured", "not measured", "not measured",
         "not measured"],
    ]  # fmt: skip


def test_a_matrix_of_transfers_is_a_table_of_rows_from_and_columns_to(store: RunStore, run_id: int) -> None:
    matrix = [[None, 21.0], [20.0, None]]
    for device_id in UUIDS:
        evidence = {"devices": list(UUIDS), "matrix_gbps": matrix}
        store.add_result(run_id, StageResult(1, device_id, ResultStatus.PASSED, "", evidence))
    [table] = tables(run_document(store, run_id), "From")
    assert [column.title for column in table.columns[1:]] == ["to 0", "to 1"]
    assert [row[1:] for row in table.rows] == [("–", "21"), ("20", "–")]
