"""What the manual lists of commands and stages is what the code says: `make manual` writes it."""

import re
import runpy
from pathlib import Path

import pytest
import typer.main

from core.burnin.stages.registry import STAGES
from core.cli.app import MODULES, app

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def written() -> dict[str, str]:
    script = runpy.run_path(str(ROOT / "packaging" / "manual.py"))
    return {page.name: text for page, text in script["pages"]().items()}


@pytest.mark.parametrize("name", ["terminal.md", "burn-in.md"])
def test_the_page_is_what_the_code_says(name: str, written: dict[str, str]) -> None:
    page = (ROOT / "assets" / "manual" / name).read_text(encoding="utf-8")
    assert page == written[name], "run `make manual`, or python packaging/manual.py"


def test_every_command_is_listed_with_every_option(written: dict[str, str]) -> None:
    entries = {entry.partition("\n")[0]: entry for entry in written["terminal.md"].split("\n### ")[1:]}
    assert {usage.split()[1] for usage in entries if " " in usage} == {*MODULES, "open"}
    options = {word for option in typer.main.get_command(app).commands["burn"].params for word in option.opts}
    listed = set(re.findall(r"^\| `(--[a-z-]+)", entries["rigwright burn"], re.MULTILINE))
    assert listed == options - {"--data-dir", "--json"}


@pytest.mark.parametrize(
    "line",
    [
        "### rigwright rma RUN --gpu TEXT -o PATH",
        "### rigwright set FILE \\[PART\\]",
        "| `--view VIEW` | Side to draw it from. (side, rear) | side |",
        "| `FILE` or `RUN` | A build file, a template, or a run's number. |  |",
        "| `--minutes NUMBER` | Stretch all stages to this time. (0.05 to 10080) |  |",
    ],
)
def test_a_command_is_shown_as_it_is_typed(line: str, written: dict[str, str]) -> None:
    assert line in written["terminal.md"].splitlines()


def test_every_stage_and_parameter_is_listed_and_each_says_what_it_means(written: dict[str, str]) -> None:
    rows = [row.strip("| ").split(" | ") for row in written["burn-in.md"].splitlines() if row.startswith("| `")]
    stages, params = rows[: len(STAGES)], rows[len(STAGES) :]
    assert [row[0].strip("`") for row in stages] == [stage.kind for stage in STAGES]
    named = {row[0].strip("`") for row in params}
    assert {name for stage in STAGES for name in stage.params.model_fields} - named == {"machine"}
    assert [row for row in params if not row[2].strip()] == []
