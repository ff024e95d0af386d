"""The page of a card: what it says in Markdown and JSON, how it ends, and which pages may be kept."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.lab.measure.markdown import as_markdown, stem_of, why_not_kept, write_page
from core.lab.measure.page import Did, MeasuredPart, Page

KEPT = Path(__file__).parents[3] / "assets" / "references" / "cards"


@pytest.mark.parametrize(
    "text",
    [
        "# NVIDIA GeForce RTX 3090",
        "| Rigwright | 0.1.0, commit 0123abcd |",
        "| PyTorch | 2.11.0+cu130 |",
        "| Driver | 570.1 |",
        "| bfloat16 | 8192, 1 in 8 compared | 66 | 68 | 2.9 % (2.0 to 3.4) | 0 of 90 | 343 W (98.0 %) | 1410 MHz |",
        "Aim: checking costs less than 2 %. Missed in bfloat16.",
        "Power: 343 W, 98.0 % of the limit, in bfloat16, at most 71 °C. 97 % was reached.",
        "Clocks were held by: Power limit 98 %.",
        "float8: float8 needs compute capability 8.9",
        "| data sheet, some-3090 | 936 GB/s | the copy reached 90.0 % |",
        "| gpu-burn | tf32 | 33 | 32.67 | 99.0 % | 0 | 343 W (98.0 %) | compares \\| all |",
        "| gemm | 0.21 s | 1.83 s |",
        "| vram | 0.40 s | unknown |",
        "| Link to the host | failed | Too slow. |",
        "| Other programs | NOT RUN | 0 s | Neither is there. |",
    ],
)
def test_markdown_tells_it(page: Page, text: str) -> None:
    assert text in as_markdown(page)


def test_markdown_says_what_was_not_measured(page: Page) -> None:
    bare = replace(page, products=tuple(replace(row, power=None) for row in page.products), bandwidth=None, tools=())
    text = as_markdown(bare)
    assert "Power was not measured." in text
    assert "Memory bandwidth" not in text.replace("Products and memory bandwidth", "")


def test_tables_keep_their_width_whatever_a_reason_says(page: Page) -> None:
    part = MeasuredPart("GPU tests", Did.FAILED, "one | two\nthree")
    rows = [line for line in as_markdown(replace(page, parts=(part,))).splitlines() if line.startswith("| GPU tests")]
    assert rows == ["| GPU tests | FAILED | 0 s | one \\| two three |"]


def test_json_holds_every_figure(page: Page) -> None:
    document = json.loads(page.as_json())
    assert document["format"] == "rigwright-card-page"
    assert document["products"][1]["power"]["mean_w"] == 343.0
    assert document["bandwidth"]["copy_gbps"] == 842.4
    assert document["parts"][1] == {
        "title": "Other programs", "did": "not run", "reason": "Neither is there.", "seconds": 0.0, "needed": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("parts", "did"),
    [
        ([], Did.NOT_RUN),
        ([MeasuredPart("a", Did.DONE)], Did.DONE),
        ([MeasuredPart("a", Did.DONE), MeasuredPart("b", Did.NOT_RUN, needed=False)], Did.DONE),
        ([MeasuredPart("a", Did.DONE), MeasuredPart("b", Did.NOT_RUN)], Did.NOT_RUN),
        ([MeasuredPart("a", Did.NOT_RUN), MeasuredPart("b", Did.FAILED)], Did.FAILED),
    ],
)
def test_a_page_is_done_only_with_every_needed_part(page: Page, parts: list[MeasuredPart], did: Did) -> None:
    assert replace(page, parts=tuple(parts)).did is did


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({}, None),
        ({"card": {"kind": "cpu"}}, "rehearsal on a CPU"),
        ({"card": {"name": "NVIDIA A100 MIG 1g.5gb"}}, "share of a card"),
        ({"card": {"driver": None}}, "does not tell the driver"),
        ({"program": {"commit": None}}, "not that of a commit"),
        ({"program": {"changed": True}}, "not that of a commit"),
        ({"products": ()}, "no rate"),
    ],
)
def test_only_a_cards_own_page_is_kept(page: Page, changes: dict[str, Any], why: str | None) -> None:
    parts = {
        name: replace(getattr(page, name), **change) if isinstance(change, dict) else change
        for name, change in changes.items()
    }
    reason = why_not_kept(replace(page, **parts).as_json())
    assert (reason is None) if why is None else (reason is not None and why in reason)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "rigwright-card-page", "version": 2}'])
def test_what_is_no_page_is_not_kept(text: str) -> None:
    assert why_not_kept(text)


def test_every_kept_page_may_be_kept() -> None:
    assert (KEPT / "README.md").is_file(), "pages have their place"
    refused = {path.name: why for path in KEPT.glob("*.json") if (why := why_not_kept(path.read_text("utf-8")))}
    assert refused == {}


def test_files_are_named_after_card_and_day(page: Page, tmp_path: Path) -> None:
    assert stem_of(page) == "nvidia-geforce-rtx-3090-2026-03-04"
    assert stem_of(page, 2) == "nvidia-geforce-rtx-3090-2026-03-04-3"
    assert stem_of(replace(page, card=replace(page.card, kind="cpu"))).startswith("rehearsal-")
    path = write_page(page, tmp_path / "new", stem_of(page))
    assert path.read_text("utf-8") == as_markdown(page)
    assert json.loads(path.with_suffix(".json").read_text("utf-8"))["card"]["name"] == page.card.name
    assert sorted(one.suffix for one in path.parent.iterdir()) == [".json", ".md"]
