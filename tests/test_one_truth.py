"""A fact is said in the same words and figures by gauge, picture, finding, report, terminal and window."""

import re
from collections.abc import Iterator
from html import unescape
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from core.assessment import Assessment
from core.predict.conditions import LoadCase
from core.present.picture.scene import Text
from core.present.picture.side_view import side_view
from core.present.report.build_connections import wiring_blocks
from core.present.report.build_findings import findings_blocks
from core.present.report.build_power import power_blocks
from core.present.report.build_prediction import prediction_blocks, price_blocks
from core.present.report.build_report import build_document
from core.present.report.document import Figure, Illustration, Table
from core.present.report.formatting import cell_text
from core.present.report.terminal import print_blocks
from core.present.report.write import html_bytes
from core.rules.engine import counts_words, summary
from core.rules.finding import Status
from gui.planner.gauges import gauges
from gui.predict.figures_model import FiguresModel
from tests.rotation import share
from tests.shipped import templates


def fed() -> Iterator[str]:
    """Templates whose PSUs have a rating."""
    for name, build in templates().items():
        if Assessment(build).prediction.psu_load is not None:
            yield name


@pytest.mark.parametrize("name", sorted(fed()))
def test_the_load_of_psus_and_circuit_is_said_in_the_same_words_everywhere(name: str) -> None:
    assessment = Assessment(templates()[name])
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
    assessment = Assessment(templates()[name])
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
    assessment = Assessment(templates()[name])
    loads, power = assessment.psu_loads, assessment.prediction.limits
    assert sum(one.worst.expected for one in loads.values()) == pytest.approx(power.dc_w[LoadCase.EVERYTHING].expected)
    assert sum(one.training.expected for one in loads.values()) == pytest.approx(power.dc_w[LoadCase.TRAINING].expected)


def test_what_passed_is_counted_alike_by_terminal_and_report() -> None:
    assessment = Assessment(templates()["digits-devbox"])
    passed = f"{summary(assessment.findings)[Status.PASS]} pass"
    assert passed in counts_words(assessment.findings)
    assert any(
        passed in block.text
        for block in findings_blocks(assessment.build, assessment.findings)
        if hasattr(block, "text")
    )


def in_one_line(text: str) -> str:
    """Without the breaks and indents of a page."""
    return " ".join(text.replace("\N{NO-BREAK SPACE}", " ").split())


def figures(text: str) -> list[str]:
    return re.findall(r"\d+(?:\.\d+)?", text.replace("\N{NARROW NO-BREAK SPACE}", ""))


@pytest.mark.parametrize("name", share(sorted(templates()), 3, rest=pytest.mark.soak))
def test_a_predicted_figure_is_the_same_in_terminal_report_and_window(name: str, qtbot: Any) -> None:
    assessment = Assessment(templates()[name])
    blocks = [*prediction_blocks(assessment), *price_blocks(assessment)]
    out = StringIO()
    print_blocks(Console(file=out, width=400), blocks)
    page = in_one_line(re.sub(r"<[^>]+>", " ", unescape(html_bytes(build_document(assessment)).decode())))
    seen = 0
    for block in blocks:
        drawn = block.figures if isinstance(block, Illustration) else block
        if not isinstance(drawn, Table):
            continue
        model = FiguresModel()
        model.show_table(drawn, assessment.build)
        for at, row in enumerate(drawn.rows):
            for column, cell in enumerate(row):
                words = cell_text(cell)
                assert all(line in in_one_line(out.getvalue()) for line in map(in_one_line, words.split("\n")))
                assert in_one_line(words) in page
                if isinstance(cell, Figure):
                    shown = model.cell(at, column)
                    assert figures(f"{shown.text} {shown.below}") == figures(words)
                    seen += 1
    assert seen > 20
