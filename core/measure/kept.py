"""Which pages may be kept under assets/references/cards, and where they are written."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from core.measure.markdown import as_markdown
from core.measure.page import FORMAT, VERSION, Page


def why_not_kept(text: str) -> str | None:
    """Why a JSON page cannot be kept as a card's; None if it can."""
    try:
        page: Any = json.loads(text)
    except ValueError:
        return "It is no JSON."
    if not isinstance(page, dict) or page.get("format") != FORMAT or page.get("version") != VERSION:
        return f"It is no {FORMAT} of version {VERSION}."
    if page["card"]["kind"] != "gpu":
        return "No card was measured: it is a rehearsal on a CPU."
    if " MIG " in page["card"]["name"]:
        return "A share of a card was measured (MIG). Turn MIG off, and measure the whole card."
    if not page["card"]["driver"]:
        return "It does not tell the driver: install nvidia-ml-py, and measure again."
    if not page["program"]["commit"] or page["program"]["changed"]:
        return "The program was not that of a commit. Measure with a clone of the repository without changes."
    if not page["products"]:
        return "It tells no rate."
    return None


def write_page(page: Page, folder: Path, stem: str) -> Path:
    """Writes STEM.json and STEM.md, each whole or not at all; returns the Markdown's path."""
    folder.mkdir(parents=True, exist_ok=True)
    for suffix, text in ((".json", page.as_json()), (".md", as_markdown(page))):
        draft = folder / f".{stem}{suffix}.new"
        draft.write_text(text, encoding="utf-8")
        draft.replace(folder / f"{stem}{suffix}")
    return folder / f"{stem}.md"


def stem_of(page: Page, position: int = 0) -> str:
    """The name of its files: card and day, a number where several cards of this machine are alike."""
    words = re.sub(r"[^a-z0-9]+", "-", page.card.name.lower()).strip("-") or "card"
    rehearsal = "" if page.card.kind == "gpu" else "rehearsal-"
    return f"{rehearsal}{words}-{page.date[:10]}" + (f"-{position + 1}" if position else "")
