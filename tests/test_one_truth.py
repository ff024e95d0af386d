"""A fact is said in the same words and figures by gauge, picture, finding, report, terminal and window."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from core.assessment import Assessment
from core.cli.plan_text import print_findings, print_prediction, print_summary
from core.predict.conditions import LoadCase
from core.present.certificate.reading import squeezed
from core.present.picture.scene import Text
from core.present.picture.side_view import side_view
from core.present.report.build_connections import wiring_blocks
from core.present.report.build_findings import finding_badge, finding_figures, finding_grounds, findings_blocks
from core.present.report.build_power import power_blocks
from core.present.report.build_prediction import prediction_blocks, price_blocks, price_facts
from core.present.report.build_report import build_document
from core.present.report.document import Figure, Illustration, Table
from core.present.report.formatting import band_text, cell_text
from core.present.report.pdf import pdf_bytes
from core.present.report.write import html_bytes
from core.present.share.one_page import one_page
from core.rules.engine import counts_words, summary
from core.rules.finding import Status
from core.words import english
from gui.planner.findings.finding_list import finding_rows
from gui.planner.findings.panel import FindingsTally
from gui.planner.gauges import gauges
from gui.predict.figures_model import FiguresModel
from tests.golden.outputs import pdf_text, visible_text
from tests.shipped import templates


@cache
def assessed(name: str) -> Assessment:
    """A template, worked out once in a process."""
    return Assessment(templates()[name])


def fed() -> Iterator[str]:
    """Templates whose PSUs have a rating."""
    return (name for name in templates() if assessed(name).prediction.psu_load is not None)


@pytest.mark.parametrize("name", sorted(fed()))
def test_the_load_of_psus_and_circuit_is_said_in_the_same_words_everywhere(name: str) -> None:
    assessment = assessed(name)
    load, circuit = assessment.prediction.psu_load, assessment.prediction.circuit_load
    messages = {finding.rule: finding.message for finding in assessment.findings if finding.checked}
    if "psu-power" in messages:
        assert load.words in messages["psu-power"]
    if len(assessment.build.other_loads_w) == 1 and "mains-circuit" in messages:
        assert circuit.words in messages["mains-circuit"]
    psu_gauge = next(gauge for gauge in gauges(assessment) if gauge.title == "PSU load, unthrottled")
    assert psu_gauge.foot == load.words
    report = repr([*wiring_blocks(assessment), *power_blocks(assessment)])
    assert load.words in report
    assert circuit.words in report
    drawn = [shape.words for shape in side_view(assessment).shapes if isinstance(shape, Text)]
    for one in assessment.psu_loads.values():
        assert one.words in drawn
        assert one.words in report
        if "psu-balance" in messages and assessment.wiring.psus:
            assert one.words in messages["psu-balance"] or "common bus" in messages["psu-balance"]


@pytest.mark.parametrize("name", sorted(fed()))
def test_the_rows_of_power_give_the_shares_of_gauge_and_finding_under_the_same_case(name: str) -> None:
    """ "Training" is what heat leaves of it; PSUs are checked for "unthrottled training"."""
    assessment = assessed(name)
    circuit, psus = assessment.prediction.circuit_load, assessment.prediction.psu_load
    assert psus is not None
    report = next(block for block in power_blocks(assessment) if isinstance(block, Table))
    printed = {
        cell_text(row[0]).split("\n")[0]: [cell_text(cell).split("\N{NO-BREAK SPACE}%")[0] for cell in row[5:]]
        for row in report.rows
    }
    training = "Unthrottled training" if LoadCase.TRAINING in assessment.prediction.at_limits else "Training"
    assert printed[training] == [f"{100 * load.training_share:.0f}" for load in (circuit, psus)]
    assert printed["Electrical worst case"] == [f"{100 * load.worst_share:.0f}" for load in (circuit, psus)]


@pytest.mark.parametrize("name", sorted(fed()))
def test_the_psus_together_bear_the_whole(name: str) -> None:
    assessment = assessed(name)
    loads, power = assessment.psu_loads, assessment.prediction.limits
    assert sum(one.worst.expected for one in loads.values()) == pytest.approx(power.dc_w[LoadCase.EVERYTHING].expected)
    assert sum(one.training.expected for one in loads.values()) == pytest.approx(power.dc_w[LoadCase.TRAINING].expected)


def test_what_passed_is_counted_alike_by_terminal_and_report() -> None:
    assessment = assessed("digits-devbox")
    passed = f"{summary(assessment.findings)[Status.PASS]} pass"
    assert passed in counts_words(assessment.findings)
    assert any(
        passed in block.text
        for block in findings_blocks(assessment.build, assessment.findings)
        if hasattr(block, "text")
    )


def figures(text: str) -> list[str]:
    return re.findall(r"\d+(?:\.\d+)?", text.replace("\N{NARROW NO-BREAK SPACE}", ""))


def texts_of(assessment: Assessment, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """What is written of a plan, by who writes it, without spaces: pages break where they must."""
    print_findings(assessment.build, assessment.findings)
    print_summary(assessment)
    print_prediction(assessment)
    document, page = build_document(assessment), one_page(assessment)
    texts = {
        "terminal": capsys.readouterr().out,
        "HTML": visible_text(html_bytes(document).decode()),
        "PDF": pdf_text(pdf_bytes(document)),
        "one page": pdf_text(pdf_bytes(page)),
    }
    return {name: squeezed(text) for name, text in texts.items()}


def deciding(assessment: Assessment) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The words and figures that decide about a plan, and who writes them."""
    everywhere = ("terminal", "HTML", "PDF", "one page")
    report = ("HTML", "PDF")
    prediction = assessment.prediction
    bands = [prediction.wall_w[LoadCase.TRAINING], prediction.wall_w[LoadCase.IDLE], prediction.noise_load]
    bands += [prediction.heat.hottest.temperature_c] if prediction.heat.hottest else []
    for band in bands:
        yield band_text(band), everywhere
    yield counts_words(assessment.findings), everywhere
    for _, words in price_facts(assessment):
        yield words, ("terminal", *report)
    for finding in assessment.findings:
        if finding.status in (Status.FAIL, Status.WARN):
            yield f"{finding_badge(finding).word} {finding.message}", ("terminal", *report)
            yield finding_figures(finding), report
            for name, words in finding_grounds(assessment.build, finding):
                yield f"{name}: {words}", report
    for block in (*prediction_blocks(assessment), *price_blocks(assessment)):
        for row in drawn.rows if (drawn := drawn_in(block)) else ():
            for cell in row:
                for line in cell_text(cell).split("\n"):
                    yield line, ("terminal", *report)


def drawn_in(block: object) -> Table | None:
    """The table of a block, in whose place a picture may stand."""
    drawn = block.figures if isinstance(block, Illustration) else block
    return drawn if isinstance(drawn, Table) else None


@pytest.mark.parametrize("name", sorted(templates()))
def test_a_plan_is_written_alike_everywhere(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assessment = assessed(name)
    texts = texts_of(assessment, capsys)
    facts = list(deciding(assessment))
    assert len(facts) > 50
    missing = {f"{where}: {words}" for words, names in facts for where in names if squeezed(words) not in texts[where]}
    assert missing == set()


@pytest.mark.parametrize("name", sorted(templates()))
def test_the_window_and_json_have_the_words_and_figures_of_the_report(name: str, qtbot: Any) -> None:
    assessment = assessed(name)
    data = build_document(assessment).data
    rows = list(finding_rows(assessment.build, assessment.findings))
    shown = [(row.head, row.message, row.figures) for row in rows]
    assert shown == [(finding_badge(one).word, one.message, finding_figures(one)) for one in assessment.findings]
    written = [(one["status"], one["message"]) for one in data["findings"]]
    assert written == [(one.status.value, english(one.message)) for one in assessment.findings]
    tally = FindingsTally()
    qtbot.addWidget(tally)
    tally.show_counts(summary(assessment.findings))
    counted = (status.counted(count) for status, count in summary(assessment.findings).items() if count)
    assert tally.accessibleName() == ", ".join(counted)
    for case in (LoadCase.TRAINING, LoadCase.IDLE):
        band = assessment.prediction.wall_w[case]
        fields = data["prediction"]["wall_w"][case.value]
        assert band_text(replace(band, **{end: fields[end] for end in ("low", "expected", "high")})) == band_text(band)
    seen = 0
    for block in (*prediction_blocks(assessment), *price_blocks(assessment)):
        if (drawn := drawn_in(block)) is None:
            continue
        model = FiguresModel()
        model.show_table(drawn, assessment.build)
        for at, row in enumerate(drawn.rows):
            for column, cell in enumerate(row):
                if isinstance(cell, Figure):
                    in_window = model.cell(at, column)
                    assert figures(f"{in_window.text} {in_window.below}") == figures(cell_text(cell))
                    seen += 1
    assert seen > 20
