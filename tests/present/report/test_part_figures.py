"""A part is written alike by `parts show`, by its card in the window and in a build report."""

from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from core.parts.part import Evidence
from core.parts.price_guide import NO_GUIDE
from core.plan.build import Build
from core.plan.line import Line
from core.present.certificate.reading import squeezed
from core.present.report.build_parts import parts_blocks, source_blocks
from core.present.report.part_figures import covered_words, part_blocks, part_figures, support_counts, value_words
from core.present.report.terminal import print_blocks
from gui.planner.parts.part_card import PartCard
from tests.shipped import parts_by_id


def printed(blocks: Any) -> str:
    screen = Console(file=StringIO(), width=10_000)
    print_blocks(screen, blocks)
    return squeezed(screen.file.getvalue())  # type: ignore[attr-defined]


@pytest.mark.parametrize("part_id", ["asus-turbo-rtx-3090-24g", "asus-x99-e-ws", "corsair-ax1600i"])
def test_a_part_is_written_alike_everywhere(part_id: str, qtbot: Any) -> None:
    part = parts_by_id()[part_id]
    card = PartCard(part)
    qtbot.addWidget(card)
    build = Build("One part", lines=(Line(part),))
    texts = {
        "terminal": printed(part_blocks(part, NO_GUIDE)),
        "window": squeezed(card.text.toPlainText()),
        "report": printed([*parts_blocks(build, NO_GUIDE), *source_blocks(build)]),
    }
    figures = list(part_figures(part, NO_GUIDE))
    assert len(figures) > 20
    counted = [(words, ("terminal", "window", "report")) for words in support_counts(part)]
    # A report names the sources that have an address.
    covered = [(covered_words(one), ("terminal", "window", *(["report"] if one.url else []))) for one in part.sources]
    shown = [(f"{one.name}{one.value}", ("terminal", "window")) for one in figures]
    for words, names in (*counted, *covered, *shown):
        assert [name for name in names if squeezed(words) not in texts[name]] == [], words


def test_a_figure_has_all_digits_that_its_maker_gives() -> None:
    assert value_words("nvlink_gbps", 112.5) == "112.5\N{NO-BREAK SPACE}GB/s"
    assert value_words("length_mm", 268.0) == "268\N{NO-BREAK SPACE}mm"
    assert value_words("discontinued", 2023) == "2023"
    assert value_words("memory_gb", None) == "unknown"


def test_an_empty_table_that_means_not_given_is_unknown() -> None:
    (noise,) = (one for one in part_figures(parts_by_id()["asus-turbo-rtx-3090-24g"], NO_GUIDE) if one.field == "noise")
    assert (noise.evidence, noise.value, noise.sources) == (Evidence.UNKNOWN, "unknown", ())
