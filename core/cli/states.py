"""How the terminal lines up text of any script."""

from __future__ import annotations

from collections.abc import Iterable

from rich.cells import cell_len


def padded(text: str, width: int) -> str:
    """The text and spaces up to `width` columns of the terminal; a Chinese character takes two of them."""
    return text + " " * max(width - cell_len(text), 0)


def column(words: Iterable[str], width: int) -> int:
    """The width of a column for such words: `width`, or more where a language needs it."""
    return max(width, *(cell_len(word) + 1 for word in words))
