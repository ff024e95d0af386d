"""The measurement as a program, and a page with every kind of figure in it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.lab.measure import page as pages
from core.lab.measure.measurement import ROOT
from tests.patience import PATIENCE_S


def measure(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The program as `make gpu` calls it, with its pages in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "core.lab.measure", "--output", str(folder), *arguments],
        env=os.environ | environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE_S,
        check=False,
    )


@pytest.fixture
def page() -> pages.Page:
    power = pages.Power(
        mean_w=343.0, limit_w=350.0, clock_mhz=1410.0, temperature_c=71.0, held_by={"Power limit": 98.0}
    )
    cooler = pages.Power(mean_w=290.0, limit_w=350.0, clock_mhz=1700.0, temperature_c=66.0)
    about = {"capability": "8.6", "driver": "570.1", "vbios": "94.02", "pcie": "4.0 x16"}
    figures = {"memory_mb": 24576, "multiprocessors": 82, "power_limit_w": 350.0, "power_default_w": 350.0}
    return pages.Page(
        date="2026-03-04T05:06:07+00:00",
        card=pages.CardFacts(name="NVIDIA GeForce RTX 3090", kind="gpu", **about, **figures),
        program=pages.Program("0.1.0", "0123abcd", False, "3.12.3", "2.11.0+cu130", "13.0"),
        host="A processor, Linux 6.1",
        budget_s=450.0,
        took_s=430.2,
        parts=(
            pages.MeasuredPart("Products and memory bandwidth", pages.Did.DONE, seconds=110.0),
            pages.MeasuredPart("Other programs", pages.Did.NOT_RUN, "Neither is there.", needed=False),
        ),
        products=(
            pages.ProductRow("float32", 8192, 8, 24.5, 24.7, 0.8, 0.5, 1.1, checks=40, errors=0, power=cooler),
            pages.ProductRow("bfloat16", 8192, 8, 66.0, 68.0, 2.9, 2.0, 3.4, checks=90, errors=0, power=power),
        ),
        not_available={"float8": "float8 needs compute capability 8.9; this GPU has 8.6."},
        bandwidth=pages.Bandwidth(842.4, 1024, by_clock_gbps=936.0, sheet_gbps=936.2, sheet="some-3090"),
        tools=(pages.ToolRow("gpu-burn", "tf32", 33.0, 32.67, errors=0, power=power, note="compares | all"),),
        stops=(pages.StopRow("gemm", 0.21, 1.83), pages.StopRow("vram", 0.4)),
        tests=(pages.Checked("12 tests", "passed"),),
        stages=(pages.Checked("Link to the host", "failed", "Too slow."),),
    )
