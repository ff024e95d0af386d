"""The chapters on placement and power delivery, and the circuits, of a planned machine's report."""

from dataclasses import replace

import pytest

from core.assessment import Assessment
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.mains import custom_circuit
from core.present.report.build_report import build_document
from core.present.report.document import Badge, Document, Tone
from tests.present.report.test_build_report import chapter, facts, rows
from tests.shipped import templates

NB = "\N{NO-BREAK SPACE}"


def report(build: Build) -> Document:
    return build_document(Assessment(build))


@pytest.fixture(scope="module")
def first_attempt() -> Build:
    return templates()["six-rtx-3090-first-attempt"]


@pytest.fixture(scope="module")
def quiet() -> Build:
    return templates()["six-rtx-3090-quiet"]


def test_every_placed_card_stands_with_its_link_and_what_holds_it(first_attempt: Build) -> None:
    cards = rows(report(first_attempt), "Placement")
    assert [row[2] for row in cards] == ["Gen4 x8", "Gen4 x8", "Gen4 x4"]
    assert cards[0][5] == "slot 2 has 8 lanes because slot 5 is filled"
    assert cards[2][4] == "chipset"
    texts = [getattr(block, "text", "") for block in chapter(report(first_attempt), "Placement")]
    assert any(text.startswith("Not placed: ") for text in texts)


def test_the_hottest_card_is_among_the_first_facts(first_attempt: Build, quiet: Build) -> None:
    hottest = facts(report(first_attempt))["Hottest GPU"].replace(NB, " ")
    assert "°C (" in hottest
    assert "in training, slot " in hottest
    assert "% of its power" in hottest
    assert "driver" not in facts(report(quiet))["Hottest GPU"]
    assert "Hottest GPU" not in facts(report(Build()))


def test_paths_between_gpus_are_a_table_by_slot_with_its_words(first_attempt: Build) -> None:
    document = report(first_attempt)
    assert rows(document, "Paths between GPUs") == [
        ("Slot 2", "X", "PHB", "PHB"),
        ("Slot 5", "PHB", "X", "PHB"),
        ("Slot 7", "PHB", "PHB", "X"),
    ]
    texts = [getattr(block, "text", "") for block in chapter(document, "Paths between GPUs")]
    assert any("PHB: the CPU's PCIe host bridge." in text for text in texts)


def test_paths_that_the_board_does_not_tell_are_one_sentence() -> None:
    document = report(templates()["dell-dss-8440"])
    [paragraph] = chapter(document, "Paths between GPUs")
    assert paragraph.text == "The board's data do not say how its slots reach each other."  # type: ignore[attr-defined]


def test_every_socket_stands_with_its_cable_or_in_red_without(first_attempt: Build) -> None:
    document = report(first_attempt)
    [psu] = rows(document, "Power delivery")
    assert psu[:2] == ("PSU 1", "Corsair RM850x (2021)")
    assert psu[2] == f"850{NB}W"
    assert psu[3].startswith("unthrottled training ")
    cables = rows(document, "Cables")
    assert (Badge("UNPOWERED", Tone.FAIL)) in [row[0] for row in cables]
    assert "shares its cable" in [row[3] for row in cables]


def test_the_peaks_in_their_windows_are_reported(quiet: Build) -> None:
    [peaks] = chapter(report(quiet), "Power peaks")
    assert all(window in peaks.text for window in ("100 µs", "1 ms", "10 ms", "100 ms"))  # type: ignore[attr-defined]


def test_a_build_without_cards_or_psus_has_no_such_chapters() -> None:
    document = report(Build())
    assert chapter(document, "Placement") == []
    assert chapter(document, "Power delivery") == []


def test_risers_limits_and_circuits_are_written_down(quiet: Build) -> None:
    line = replace(quiet.of(Category.GPU)[0], risers=(2,), power_limit_w=280.0)
    lines = tuple(line if other.part.id == line.part.id else other for other in quiet.lines)
    changed = replace(quiet, lines=lines, custom_circuit=custom_circuit(230, 20, 0.8), other_loads_w=(0.0, 300.0))
    document = report(changed)
    gpu = next(row for row in rows(document, "Parts") if row[0] == "GPU")
    assert f"limited to 280{NB}W each" in str(gpu[1])
    assert "2 (PCIE6), on a riser" in str(gpu[3])
    assert facts(document)["Region"] == f"2 circuits, Custom 230 V 20 A; 300{NB}W already used on circuit 2"
