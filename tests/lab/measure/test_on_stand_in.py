"""The measurement of two cards that stand-ins for CUDA and NVML play: everything that only a card reaches, executed."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from core.lab.measure.markdown import why_not_kept
from tests.fake_cuda import stand_in as cuda
from tests.fake_nvml import stand_in as nvml
from tests.lab.measure.conftest import measure

pytestmark = pytest.mark.process

FIRST, SECOND = "GPU-00000000-1111-2222-3333-444444444444", "GPU-11111111-2222-3333-4444-555555555555"
FRYER = """#!/bin/sh
echo "GPU #0:   1234 Gflops/s (min: 1.00, max: 2.00, dev: 0.10)"
echo "All GPUs seem healthy"
"""


@pytest.fixture(scope="module")
def machine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment in which every process sees the two cards."""
    folder = tmp_path_factory.mktemp("cards")
    fake = cuda.build(request.config.cache.mkdir("fake_cuda"))
    cards = [cuda.Card(FIRST), cuda.Card(SECOND, "NVIDIA H200", (9, 0), memory_mib=1024, bus=2)]
    driver = nvml.build(tmp_path_factory.mktemp("nvml"))
    program = folder / "gpu-fryer"
    program.write_text(FRYER)
    program.chmod(0o755)
    path = {"PATH": f"{folder}:{os.environ['PATH']}"}
    return driver.environment(live=folder) | fake.environment(cards, folder) | path


def measured(machine: dict[str, str], folder: Path, *arguments: str, **more: str) -> dict[str, dict[str, Any]]:
    """The pages by the name of the card."""
    done = measure(folder, *arguments, **machine, **more)
    assert done.returncode in (0, 4), done.stderr
    pages = [json.loads(path.read_text("utf-8")) for path in folder.glob("*.json")]
    return {page["card"]["name"]: page for page in pages}


def test_both_cards_are_measured_at_the_same_time_and_each_has_its_page(
    machine: dict[str, str], tmp_path: Path
) -> None:
    arguments = ("--seconds", "15", "--size", "64", "--parts", "products")
    pages = measured(machine, tmp_path, *arguments)
    assert pages.keys() == {"NVIDIA GeForce RTX 3090", "NVIDIA H200"}
    for page in pages.values():
        parts = {part["title"]: part for part in page["parts"]}
        assert parts["Products and memory bandwidth"]["did"] == "done", parts
        assert page["card"]["beside"] == 1
        assert page["card"]["driver"]
        assert page["card"]["power_limit_w"] > 0
        assert page["bandwidth"]["copy_gbps"] > 0
        assert {"tf32", "bfloat16", "float64"} <= {row["format"] for row in page["products"]}
        for row in page["products"]:
            assert row["errors"] == 0
        power = [row["power"] for row in page["products"] if row["power"] is not None]
        assert power, "the meter read at least one format often enough, however busy the machine"
        assert all(0 < one["mean_w"] <= 1.1 * one["limit_w"] for one in power)
    assert "float8" in pages["NVIDIA GeForce RTX 3090"]["not_available"]


@pytest.mark.soak
def test_only_the_visible_card_is_compared_stopped_and_tested(machine: dict[str, str], tmp_path: Path) -> None:
    arguments = ("--seconds", "150", "--size", "64", "--parts", "tools,stops,tests")
    pages = measured(machine, tmp_path, *arguments, CUDA_VISIBLE_DEVICES=FIRST)
    (page,) = pages.values()
    assert page["card"]["name"] == "NVIDIA GeForce RTX 3090"
    row = page["tools"][0]
    assert (row["tool"], row["format"], row["tflops"], row["errors"]) == ("gpu-fryer", "bfloat16", 1.234, None)
    assert row["ours_tflops"] > 0
    assert page["stops"][0]["rest_s"] > page["stops"][0]["done_s"] > 0
    tests = {one["outcome"]: one["name"] for one in page["tests"]}
    assert int(tests["passed"].split()[0]) >= 3, page["tests"]
    assert "failed" not in tests, page["tests"]
    assert why_not_kept(json.dumps(page))
