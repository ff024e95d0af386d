"""The document of a planned machine."""

import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from core.assessment import Assessment
from core.plan.build import Build
from core.plan.file import parse_build
from core.plan.line import Line
from core.plan.wiring.wire import wire
from core.predict.conditions import Conditions, LoadCase
from core.predict.curves import over_limits, whys_faster
from core.predict.prediction import predict
from core.predict.speed.networks import Network
from core.present.report.build_findings import NOT_CHECKED, build_badge
from core.present.report.build_report import build_document
from core.present.report.document import Badge, Document, Heading, Illustration, KeyValues, Paragraph, Table, Tone
from core.present.report.formatting import band_text, bullets, cell_text
from core.present.report.write import json_bytes, write_report
from core.rules.finding import Finding, Status
from core.words.units import quantity
from tests.present.report.recorded import CHINESE, HOSTILE, gpu_part
from tests.rotation import share
from tests.shipped import parts_by_id, templates

FINDINGS = (
    Finding(
        rule="mains-circuit",
        status=Status.FAIL,
        message="Training draws 2660 W; the circuit carries 2200 W.",
        parts=("test-rtx-3090",),
        measured=2660.0,
        limit=2200.0,
        unit="W",
        basis="Wall power in training <= voltage x current.",
        source="national practice",
        unconfirmed=("test-psu.power_w", "test-rtx-3090.power_limit_w"),
    ),
    Finding("card-height", Status.UNKNOWN, "The height cannot be checked.", missing=("test-rtx-3090.height_mm",)),
    Finding("ups", Status.NOTE, "UPS: not checked, the build has no UPS yet.", checked=False),
    Finding("cpu-socket", Status.PASS, "The CPU fits.", measured=1.0, limit=1.0, unit="socket"),
)


def report(build: Build, findings: tuple[Finding, ...] = FINDINGS, conditions: Conditions | None = None) -> Document:
    """With these findings, whatever the rules say."""
    assessment = Assessment(build, conditions or Conditions())
    vars(assessment)["findings"] = findings
    return build_document(assessment)


def chapter(document: Document, title: str) -> list[object]:
    """The blocks between a heading and the next one."""
    blocks: list[object] = []
    inside = False
    for block in document.blocks:
        if isinstance(block, Heading):
            inside = block.text == title
        elif inside:
            blocks.append(block)
    return blocks


def rows(document: Document, title: str) -> list[tuple[object, ...]]:
    """Of the tables below a heading: badges as they are, everything else as it is written."""
    tables = [block for block in chapter(document, title) if isinstance(block, Table)]
    return [
        tuple(cell if isinstance(cell, Badge) else cell_text(cell) for cell in row)
        for table in tables
        for row in table.rows
    ]


def facts(document: Document) -> dict[str, str]:
    return dict(row for block in document.blocks if isinstance(block, KeyValues) for row in block.rows)


def test_name_notes_and_region_are_those_of_the_build(build: Build) -> None:
    document = report(build)
    assert document.title == f"四卡 {CHINESE} <b>"
    assert facts(document)["Region"] == "China 220 V 10 A"
    assert chapter(document, "Notes") == [Paragraph(f"{CHINESE}的备注\nsecond line {HOSTILE}")]


def test_parts_stand_with_quantity_slots_price_and_evidence(build: Build) -> None:
    [gpu, *others] = rows(report(build), "Parts")
    assert gpu[:5] == (
        "GPU",
        "Maker RTX 3090 <Turbo>\ntest-rtx-3090",
        "2",
        "1 (PCIEX16_1)\n3 (PCIEX16_3)",
        "unknown\n(1500 USD, launch 2020-09)",
    )
    assert str(gpu[5]).startswith("1 confirmed\n")
    assert [row[4] for row in others] == ["unknown"] * 4


def test_findings_watts_warmth_and_noise_stand_before_the_parts(build: Build) -> None:
    titles = [block.text for block in report(build).blocks if isinstance(block, Heading) and block.level == 1]
    chapters = ["Power, predicted", "Temperatures, predicted", "Noise, predicted", "Speed, predicted"]
    chapters.append("Language models, predicted")
    assert titles[:7] == ["Findings", *chapters, "Parts"]
    assert " W (" in facts(report(build))["In training"].replace("\N{NO-BREAK SPACE}", " ")
    assert "dBA" in facts(report(build))["In training"]


def test_cards_without_a_slot_are_counted(build: Build) -> None:
    lines = (replace(build.lines[0], quantity=3, slots=(1, 9)), *build.lines[1:])
    [gpu, *_] = rows(report(build.with_lines(lines)), "Parts")
    assert gpu[3] == "1 (PCIEX16_1)\n9 (not on this board)\n1 without a slot"


def test_a_finding_stands_with_figures_basis_source_evidence_and_mend(build: Build) -> None:
    [finding] = rows(report(build), "Findings")
    assert finding == (
        Badge("FAIL", Tone.FAIL),
        "Training draws 2660 W; the circuit carries 2200 W.",
        "2660 > 2200 W",
        "Basis: Wall power in training <= voltage x current.\nSource: national practice\n"
        "Unconfirmed figures: Maker PSU 1600: power; Maker RTX 3090 <Turbo>: power limit\nRule: mains-circuit",
    )


def test_what_was_not_checked_is_listed_with_the_missing_figures(build: Build) -> None:
    document = report(build)
    unchecked = rows(document, NOT_CHECKED)
    assert [(row[0], row[1]) for row in unchecked] == [
        (Badge("UNKNOWN", Tone.UNKNOWN), "card-height"),
        (Badge("NOT CHECKED", Tone.UNKNOWN), "ups"),
    ]
    assert unchecked[0][3] == "Maker RTX 3090 <Turbo>: height"
    assert rows(document, "Missing figures") == [("Maker RTX 3090 <Turbo>", "height", "card-height")]


def test_what_passed_is_kept_apart(build: Build) -> None:
    assert [row[1] for row in rows(report(build), "What passed")] == ["The CPU fits."]


@pytest.mark.parametrize(
    ("statuses", "word"),
    [
        ((Status.PASS, Status.FAIL, Status.UNKNOWN), "FAIL"),
        ((Status.PASS, Status.WARN, Status.UNKNOWN), "WARN"),
        ((Status.PASS, Status.UNKNOWN), "UNKNOWN"),
        ((Status.PASS, Status.NOTE), "PASS"),
        ((), "NOT CHECKED"),
    ],
)
def test_the_badge_is_the_gravest_of_what_was_checked(statuses: tuple[Status, ...], word: str) -> None:
    whole = templates()["six-rtx-3090-quiet"]
    assert build_badge(whole, [Finding("rule", status, "said") for status in statuses]).word == word


def test_a_machine_without_essential_parts_never_passes() -> None:
    part = Build("One card", (Line(gpu_part()),))
    document = report(part, (Finding("rule", Status.PASS, "fine"),))
    assert document.badge == Badge("INCOMPLETE", Tone.UNKNOWN)
    assert facts(document)["Still missing"] == "CPU, Motherboard, RAM, PSU"


def test_an_empty_build_has_a_report() -> None:
    document = build_document(Assessment(Build()))
    assert document.badge == Badge("INCOMPLETE", Tone.UNKNOWN)
    assert facts(document)["Price"] == "unknown"
    assert not [block for block in document.blocks if isinstance(block, Illustration)]


def test_power_stands_against_circuit_and_psus(build: Build) -> None:
    [idle, training, alone, both, worst] = rows(report(build), "Power, predicted")
    assert (idle[0], training[0], alone[0], both[0]) == ("Idle", "Training", "CPUs alone", "CPUs and GPUs")
    prediction = predict(build)
    assert worst[0] == "Electrical worst case\nCPU and GPU at their limits"
    assert worst[2] == band_text(prediction.worst_case.wall_w)
    expected = next(band for load, band in prediction.dc_w.items() if load == "training").expected
    assert str(training[1]).startswith(f"{expected:.0f}\N{NO-BREAK SPACE}W (")
    assert str(training[6]).startswith(f"{100 * expected / 1600:.0f}\N{NO-BREAK SPACE}% (")
    assert facts(report(build))["PSUs together"] == "1600\N{NO-BREAK SPACE}W"


def test_temperatures_stand_with_their_room_card_by_card() -> None:
    build = templates()["six-rtx-3090-first-attempt"]
    conditions = Conditions(room_c=31.0, altitude_m=1500)
    prediction, document = predict(build, conditions), report(build, conditions=conditions)
    temperatures = facts(document)
    assert temperatures["Room"] == "31\N{NO-BREAK SPACE}°C, 1500\N{NO-BREAK SPACE}m above sea level"
    assert temperatures["Hottest GPU"].endswith(f"room at {temperatures['Room']}")
    assert prediction.heat.cpu_c is not None and prediction.cpu_busy_c is not None
    assert temperatures["Held back by heat"].startswith("350 W cards run at ")
    air, training, busy, *cards = rows(document, "Temperatures, predicted")
    assert air[:2] == ("Intake air of the cards", band_text(prediction.heat.case_air_c))
    assert training[0::2][:2] == ("CPU, in training", band_text(prediction.heat.cpu_c))
    assert busy[0::2][:2] == ("CPU, with CPUs and GPUs busy at once", band_text(prediction.cpu_busy_c))
    places = [str(row[0]).split("\n")[1] for row in cards]
    assert places == ["slot 2", "slot 5", "slot 7", "no slot"], "those without a slot are alike: one row"
    assert str(cards[3][0]).startswith("3 × ")
    for row, card in zip(cards, prediction.heat.cards, strict=False):
        assert row[2] == band_text(card.temperature_c)
        assert row[5] == f"{100 * card.kept_share:.0f}\N{NO-BREAK SPACE}%"


def test_coolant_and_what_is_not_predicted_are_reported() -> None:
    quiet = templates()["six-rtx-3090-quiet"]
    coolant_c = predict(quiet).heat.coolant_c
    assert coolant_c is not None
    assert ("Coolant", band_text(coolant_c)) in [row[:2] for row in rows(report(quiet), "Temperatures, predicted")]
    [paragraph] = chapter(report(templates()["nvidia-dgx-1"]), "Not predicted")
    assert isinstance(paragraph, Paragraph) and "is a module" in paragraph.text
    assert not chapter(report(Build()), "Temperatures, predicted")


def test_the_load_that_was_asked_for_is_the_one_that_is_named(build: Build) -> None:
    conditions = Conditions(load=LoadCase.IDLE, tariff_per_kwh=0.3)
    prediction, document = predict(build, conditions), report(build, conditions=conditions)
    wall = prediction.wall_w[LoadCase.IDLE]
    [lead, *_] = chapter(document, "Energy and cost")
    assert isinstance(lead, Paragraph) and lead.text.startswith("Idle, 24/7: ")
    _, day, _ = rows(document, "Energy and cost")
    assert day[1:] == (
        band_text(wall.times(0.024).measured_in("kWh")),
        band_text(wall.times(0.024 * 0.3).measured_in("")),
    )
    heat, *_ = rows(document, "Heat into the room")
    assert heat[1] == band_text(wall.times(3.412).measured_in("BTU/h"))


@pytest.mark.parametrize(
    ("others", "left_w"), [((0.0,), 3680), ((680.0,), 3000), ((0.0, 0.0), 3680), ((680.0, 0.0), 3000)]
)
def test_the_share_of_the_circuit_is_of_what_is_left_there(
    build: Build, others: tuple[float, ...], left_w: float
) -> None:
    """One PSU draws from the first circuit, whatever others there are."""
    here = replace(build, region="eu-230v-16a", other_loads_w=others)
    wall = predict(here).wall_w[LoadCase.TRAINING].expected
    training = rows(report(here), "Power, predicted")[1]
    assert str(training[5]).startswith(f"{100 * wall / left_w:.0f}\N{NO-BREAK SPACE}% (")


def test_a_circuit_with_nothing_left_has_no_share(build: Build) -> None:
    training = rows(report(replace(build, other_loads_w=(9000.0,))), "Power, predicted")[1]
    assert training[5] == "none left"


def test_psus_stand_with_what_they_give_at_the_mains_voltage(build: Build) -> None:
    psu = Line(parts_by_id()["supermicro-pws-2k04a-1r"], 2)
    here = replace(build, region="us-120v-20a", lines=(*build.lines[:-1], psu))
    together_w = sum(psu.power_w or 0.0 for psu in wire(here).psus)
    assert 0 < together_w < 2 * 2000
    assert facts(report(here))["PSUs together"] == quantity(together_w, "W")
    dc = predict(here).dc_w[LoadCase.TRAINING].expected
    share = f"{100 * dc / together_w:.0f}\N{NO-BREAK SPACE}% ("
    assert str(rows(report(here), "Power, predicted")[1][6]).startswith(share)


def test_an_unknown_psu_gives_no_share(build: Build) -> None:
    without = build.with_lines(build.lines[:-1])
    assert {row[6] for row in rows(report(without), "Power, predicted")} == {"unknown"}


def test_figures_of_noise_and_power_carry_unit_words_and_names(build: Build) -> None:
    figures = {block.title: block for block in report(build).blocks if isinstance(block, Illustration)}
    assert set(figures) == {"Side view", "Power by part", "Noise by source"}
    assert "2 × Maker RTX 3090 &lt;Turbo&gt;" in figures["Power by part"].svg
    assert "Level in training at 1 m, dBA" in figures["Noise by source"].svg
    assert "2 × Maker RTX 3090 <Turbo>" in figures["Noise by source"].alt
    assert all("not measured" in figure.caption for figure in figures.values())


def test_sources_stand_with_address_and_what_they_cover(build: Build) -> None:
    document = report(build)
    [first, *_] = rows(document, "Sources of the parts' figures")
    assert first == ("Maker RTX 3090 <Turbo>", "Data sheet of the card", "https://example.com/rtx?a=1&b=2", "length")
    [unconfirmed] = rows(document, "Figures without a confirmed source")
    assert unconfirmed[0] == "Maker RTX 3090 <Turbo>"
    assert "power limit" in str(unconfirmed[1])
    assert "length" not in str(unconfirmed[1])


def test_json_carries_a_build_that_opens_again(build: Build) -> None:
    read = json.loads(json_bytes(report(build)))
    assert parse_build(json.dumps(read["build"]), lambda _: None) == build
    assert read["findings"][0]["rule"] == "mains-circuit"
    assert [finding["rule"] for finding in read["not_checked"]] == ["card-height", "ups"]
    assert read["prediction"]["wall_w"]["training"]["unit"] == "W"
    assert read["simulated"] is False


@pytest.mark.parametrize("name", share(list(templates()), 3, rest=pytest.mark.soak))
def test_every_template_has_a_report_in_every_format(name: str, tmp_path: Path) -> None:
    build = templates()[name]
    assessment = Assessment(build)
    document = build_document(assessment)
    written = [write_report(document, tmp_path / f"report{suffix}") for suffix in (".html", ".pdf", ".json")]
    pdf_text = subprocess.run(["pdftotext", "-raw", written[1], "-"], capture_output=True, text=True, check=True).stdout
    assert not re.findall(r"(?:tokens|images|GB)/\s*$", pdf_text, re.MULTILINE), "a unit is broken"
    squeezed = "".join(pdf_text.split())
    for line in build.lines:
        assert "".join(line.part.title.split()) in squeezed
    assert {finding["rule"] for finding in json.loads(written[2].read_text())["findings"]} == {
        f.rule for f in assessment.findings
    }


def test_peaks_stand_by_window_beside_psu_capability(build: Build) -> None:
    windows = predict(build).excursions.windows
    peaks = rows(report(build), "Peaks against PSU capability")
    assert [row[0] for row in peaks] == [window.title for window in windows]
    first, steady = peaks[0], peaks[-1]
    assert str(first[1]).startswith(f"{windows[0].demand_w.expected:.0f}")
    assert str(first[2]) == f"{windows[0].allowed_w:.0f}\N{NO-BREAK SPACE}W"
    assert (first[4], steady[4]) == ("5\N{NO-BREAK SPACE}% of the time", "100\N{NO-BREAK SPACE}% of the time")


def test_without_a_psu_what_is_borne_is_unknown(build: Build) -> None:
    without = replace(build, lines=tuple(line for line in build.lines if "psu" not in line.part.id))
    assert {row[2:4] for row in rows(report(without), "Peaks against PSU capability")} == {("unknown", "unknown")}


def speed_text(document: Document) -> str:
    [reasons] = [block for block in chapter(document, "Why") if isinstance(block, Paragraph)]
    return reasons.text


def test_the_speed_stands_with_its_reasons_as_the_prediction_says_it() -> None:
    assessment = Assessment(templates()["eight-h200-hgx"])
    document = build_document(assessment)
    speeds = rows(document, "Speed, predicted")
    networks = [one.network for one in assessment.speed.networks]
    assert [row[0] for row in speeds] == [f"{network.label}\n{network.reference}" for network in networks]
    assert [row[1] for row in speeds] == [band_text(one.rate) for one in assessment.speed.networks if one.rate]
    assert speed_text(document) == bullets(assessment.speed.reasons)
    starved = assessment.speed.of(Network.CNN).starved
    assert f"CNN: {starved.words}" in assessment.speed.reasons
    assert document.data["speed"] == assessment.speed.as_dict()


def test_where_cards_are_throttled_the_report_says_why_a_lower_limit_is_faster() -> None:
    assessment = Assessment(templates()["six-rtx-3090-first-attempt"])
    assert assessment.prediction.throttled
    why = list(whys_faster(over_limits(assessment.build, assessment.conditions)))
    assert why
    assert speed_text(build_document(assessment)).endswith(bullets(why))


def test_a_machine_without_a_card_has_no_speed() -> None:
    bare = Build("bare", tuple(Line(parts_by_id()[part]) for part in ("amd-epyc-7702", "supermicro-h11dsi")))
    assert chapter(build_document(Assessment(bare, Conditions())), "Speed, predicted") == []
