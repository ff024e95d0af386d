"""What a terminal shows of blocks."""

from io import StringIO

import pytest
from rich.console import Console

from core.predict.band import Band
from core.present.report.document import (
    Badge,
    BandBar,
    Block,
    Figure,
    Heading,
    Illustration,
    KeyValues,
    Paragraph,
    ReportColumn,
    Table,
    Tone,
    Words,
    table,
)
from core.present.report.formatting import bullets
from core.present.report.terminal import print_blocks

LOADS = table(
    (ReportColumn("Load"), ReportColumn("Low to high"), ReportColumn("At the wall", numeric=True)),
    (
        (Words("Training", "all GPUs busy"), BandBar(0.1, 0.2, 0.3), Figure(Band(1200, 1290, 1420, "W"))),
        ("[bold]Idle", BandBar(0, 0, 0), Figure(None)),
    ),
)


TERMINAL = {"force_terminal": True, "color_system": None}


def printed(*blocks: Block, width: int = 80, **options: object) -> str:
    out = StringIO()
    print_blocks(Console(file=out, width=width, highlight=False, **options), blocks)  # type: ignore[arg-type]
    return out.getvalue().replace("\N{NO-BREAK SPACE}", " ")


def test_a_row_stays_one_line_in_a_pipe_however_wide_it_is() -> None:
    assert len(printed(table(("Id", "Part"), [("a" * 90, "b" * 90)])).splitlines()) == 2


def test_a_table_stands_under_its_heading_with_figures_at_the_right_and_no_bars() -> None:
    assert printed(Heading("Power"), LOADS).splitlines() == [
        "Power",
        "Load                     At the wall",
        "Training       1290 W (1200 to 1420)",
        "all GPUs busy",
        "[bold]Idle                   unknown",
    ]


def test_a_terminal_too_narrow_for_the_columns_lists_each_row() -> None:
    text = printed(LOADS, width=24, **TERMINAL)
    assert "Low to high" not in text
    assert text.index("Training") < text.index("At the wall") < text.index("1290 W") < text.index("[bold]Idle")


def test_a_row_as_a_list_leaves_out_its_empty_cells() -> None:
    rows = table((ReportColumn("Slot"), ReportColumn("Link"), ReportColumn("Held back by")), (("1", "x16", ""),))
    assert printed(rows, width=20, **TERMINAL) == "1\n  Link  x16\n"


def test_a_row_as_a_list_has_a_band_beside_its_figure() -> None:
    columns = (ReportColumn("GPU"), ReportColumn("Score", numeric=True), ReportColumn("Model"))
    rows = table(columns, (("L40S", Words("1.8", "(1.5 to 2.1)"), Words("fits", "40 GB")),))
    assert printed(rows, width=26, **TERMINAL) == "L40S\n  Score  1.8 (1.5 to 2.1)\n  Model  fits, 40 GB\n"


def test_an_id_stays_whole_between_columns_that_wrap() -> None:
    cells = ("be-quiet-straight-power-11", "be quiet! Straight Power 11 Platinum", "It has as many plugs as it needs.")
    lines = printed(table(("Id", "Part", "Why"), [cells]), width=78, **TERMINAL)
    assert [line.split("  ")[0] for line in lines.splitlines()[:2]] == ["Id", "be-quiet-straight-power-11"]
    assert max(map(len, lines.splitlines())) <= 78


def test_a_table_becomes_a_list_before_it_breaks_an_id() -> None:
    rows = table(("Id", "Part"), [("be-quiet-straight-power-11", "be quiet! Straight Power 11 Platinum")])
    text = printed(rows, width=40, **TERMINAL)
    assert text == "be-quiet-straight-power-11\n  Part  be quiet! Straight Power 11\n  Platinum\n"


def test_a_list_leaves_a_word_longer_than_its_lines_to_the_terminal() -> None:
    address = "https://example.org/reviews/be-quiet-straight-power-11"
    rows = table(("Id", "Source"), [("straight-power", address)])
    assert address in printed(rows, width=40, soft_wrap=True, **TERMINAL)


def test_a_name_of_someone_else_above_a_column_steers_no_terminal() -> None:
    assert "\x1b[2J" not in printed(table(("", "a\x1b[2Jb"), [("Price", "1 EUR")]))


SENTENCE = "A card computes 41 % of its time; the rest moves data to and from its memory."
LIST = Paragraph(bullets((SENTENCE, "Short.")))
FINDING = table((ReportColumn("Status"), ReportColumn("Finding")), (("WARN", SENTENCE), ("PASS", "Short.")))


@pytest.mark.parametrize(
    ("block", "lines"),
    [
        (Paragraph(SENTENCE), [SENTENCE]),
        (LIST, [f"•  {SENTENCE}", "•  Short."]),
        (FINDING, ["Status  Finding", f"WARN    {SENTENCE}", "PASS    Short."]),
        (KeyValues((("Why", SENTENCE),)), [f"Why  {SENTENCE}"]),
    ],
)
def test_a_pipe_gets_every_sentence_in_one_line(block: Block, lines: list[str]) -> None:
    assert printed(block, width=60, soft_wrap=True).splitlines() == lines


@pytest.mark.parametrize(
    ("block", "lines"),
    [
        (Paragraph(SENTENCE), [SENTENCE]),
        (LIST, [f"•  {SENTENCE[:56]}", f"   {SENTENCE[57:]}", "•  Short."]),
        (FINDING, ["Status  Finding", f"WARN    {SENTENCE[:48]}", f"        {SENTENCE[49:]}", "PASS    Short."]),
        (KeyValues((("Why", SENTENCE),)), [f"Why  {SENTENCE[:53]}", f"     {SENTENCE[54:]}"]),
    ],
)
def test_a_terminal_indents_what_wraps_and_leaves_paragraphs_to_itself(block: Block, lines: list[str]) -> None:
    text = printed(block, width=60, soft_wrap=True, **TERMINAL)
    assert text.splitlines() == lines


@pytest.mark.parametrize(
    ("block", "words"),
    [
        (Paragraph("Warm.\nAnd loud."), "Warm.\nAnd loud.\n"),
        (KeyValues((("Room", "25 °C"),)), "Room  25 °C"),
        (Table((ReportColumn("Load"),), (), "Nothing draws power."), "Nothing draws power.\n"),
        (Illustration("Noise", lambda: "", "", "Fan 30 dBA"), "Noise: Fan 30 dBA\n"),
        (Illustration("Noise", lambda: "", "", "", figures=LOADS), "1290 W (1200 to 1420)"),
        (Paragraph("a\x1b[2Jb"), "a\N{REPLACEMENT CHARACTER}[2Jb\n"),
    ],
)
def test_every_kind_of_block_is_printed_as_it_stands(block: Block, words: str) -> None:
    assert words in printed(block)


def test_tones_are_colours() -> None:
    row = table((ReportColumn("Status"),), ((Badge("FAIL", Tone.FAIL),),))
    assert "\x1b[1;31mFAIL" in printed(row, force_terminal=True, color_system="standard")
