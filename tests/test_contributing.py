"""Every worked example of CONTRIBUTING.md does what is said of it (a rule: `tests/rules/test_adding_a_rule.py`)."""

import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch

from core import api
from core.burnin.record.rows import ResultStatus
from core.burnin.record.samples import COLUMN
from core.burnin.stages import registry
from core.loads import table
from core.loads.backend import make_load
from core.loads.load import LoadStatus
from core.loads.table import open_simulated
from core.machine.telemetry.device import Device
from core.machine.telemetry.metrics import NAMES
from core.parts.price_index import read_indices
from core.parts.used_prices import read_used_prices
from core.parts.vocabulary import Category
from core.words.units import quantity
from tests.shipped import parts_by_id
from tests.worked_examples import DOCUMENT, example, examples, module


def test_the_row_of_a_used_price_is_valid_and_holds_for_such_a_part(tmp_path: Path) -> None:
    file = tmp_path / "used.toml"
    file.write_text(example("A used price"), encoding="utf-8")
    bands = read_used_prices(file)
    band = bands.band(parts_by_id()["gigabyte-rtx-3090-turbo-24g"])
    assert band is not None and (band.middle, bands.sources_of(band)[0].url) == (1100, "https://example.org/sales")


def test_the_rows_of_parts_are_valid(tmp_path: Path) -> None:
    (tmp_path / "gpu").mkdir()
    files = [tmp_path / f"gpu/example-{number}.toml" for number in range(len(examples("A part")))]
    for file, text in zip(files, examples("A part"), strict=True):
        file.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "core.cli", "parts", "validate", *map(str, files)]
    ended = subprocess.run(
        [*command, "--data-dir", str(tmp_path / "data")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_the_price_index_is_read_and_brings_a_price_to_its_last_month(tmp_path: Path) -> None:
    file = tmp_path / "index.toml"
    file.write_text(example("A price index"), encoding="utf-8")
    (index,) = read_indices(file)[Category.STORAGE]
    assert [index.level(date(2026, month, 15)) for month in (1, 2, 3)] == [100, 104, 104]


def test_the_stage_fails_a_warm_card_whose_fans_stand_still() -> None:
    stage = module("A stage", "example_stage").STAGE
    assert stage.kind not in registry.BY_KIND
    card = Device.from_dict({"id": "GPU-1", "index": 0, "name": "Test", "kind": "gpu"})
    for temperature_c, fan_pct, status in (
        (75, 0, ResultStatus.FAILED),
        (75, 40, ResultStatus.PASSED),
        (40, 0, ResultStatus.PASSED),
    ):
        samples = np.full((5, 1 + len(NAMES)), np.nan)
        samples[:, COLUMN["temperature_c"]], samples[:, COLUMN["fan_pct"]] = temperature_c, fan_pct
        assert stage.look(None, card, samples)[0] is status


@pytest.fixture
def prefix_sum(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    made = module("A load", "example")
    monkeypatch.setitem(table.BY_NAME, "prefix_sum", made.ENTRY)
    yield made
    del sys.modules["example"]


@pytest.mark.usefixtures("prefix_sum")
def test_the_load_passes_after_checks_and_finds_what_is_injected() -> None:
    for inject, status in (("", LoadStatus.PASSED), ("bitflip", LoadStatus.FAILED)):
        load = make_load("prefix_sum", {"inject": inject}, device=torch.device("cpu"))
        assert load.finish().status is LoadStatus.NOT_RUN or inject
        assert sum(step.checks for step in load.steps(0.1)) > 0
        assert load.finish().status is status
        assert load.finish().evidence.checks


@pytest.mark.usefixtures("prefix_sum")
def test_its_simulated_counterpart_is_marked_so() -> None:
    load = open_simulated("RTX 3090", device_id="GPU-1").make("prefix_sum", {})
    assert sum(step.checks for step in load.steps(0.2)) > 0
    assert load.finish().evidence.simulated


def test_the_report_section_is_made_of_the_build(data_dir: Path) -> None:
    assessment = api.assess(api.load("six-rtx-3090-quiet", folder=data_dir))
    heading, rows, whole = module("A report section", "example_section").memory_blocks(assessment)
    assert heading.text == "Memory of GPUs"
    assert [row[1:] for row in rows.rows] == [("6", quantity(24, "GB"))]
    assert whole.text == f"{quantity(144, 'GB')} in all."


def test_what_is_named_of_make_exists() -> None:
    named = set(re.findall(r"make (\w+)", DOCUMENT.read_text(encoding="utf-8")))
    targets = (DOCUMENT.parent / "Makefile").read_text(encoding="utf-8")
    assert {"check", "test", "soak", "fuzz"} <= named
    assert [name for name in sorted(named) if f"\n{name}:" not in targets] == []
