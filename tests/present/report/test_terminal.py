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
from core.present.report.terminal import print_blocks

LOADS = table(
    (ReportColumn("Load"), ReportColumn("Low to high"), ReportColumn("At the wall", numeric=True)),
    (
        (Words("Training", "all GPUs busy"), BandBar(0.1, 0.2, 0.3), Figure(Band(1200, 1290, 1420, "W"))),
        ("[bold]Idle", BandBar(0, 0, 0), Figure(None)),
    ),
)


def printed(*blocks: Block, width: int = 80, **options: object) -> str:
    out = StringIO()
    print_blocks(Console(file=out, width=width, highlight=False, **options), blocks)  # type: ignore[arg-type]
    return out.getvalue().replace("\N{NO-BREAK SPACE}", " ")


def test_a_table_stands_under_its_heading_with_figures_at_the_right_and_no_bars() -> None:
    assert printed(Heading("Power"), LOADS).splitlines() == [
        "Power",
        "Load                     At the wall",
        "Training       1290 W (1200 to 1420)",
        "all GPUs busy",
        "[bold]Idle                   unknown",
    ]


def test_a_terminal_too_narrow_for_the_columns_lists_each_row() -> None:
    text = printed(LOADS, width=24)
    assert "Low to high" not in text
    assert text.index("Training") < text.index("At the wall") < text.index("1290 W") < text.index("[bold]Idle")


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
