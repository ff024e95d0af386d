"""Values of unknown origin as text that can be shown: one short line, and no character that steers what shows it."""

from __future__ import annotations

import re
import reprlib
from typing import Any

MAX_SHOWN = 80
"""Characters."""
UNSEEN = r"\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
"""For the brackets of a pattern: controls, marks that turn the direction of text, half characters."""
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_STEERING = re.compile(rf"[\x00-\x08\x0b-\x1f{UNSEEN}]")


def visible(text: str) -> str:
    """The text with a sign in the place of each character that would steer a terminal or turn what a reader sees.

    Line ends and tabs stay.
    """
    return text if text.isprintable() else _STEERING.sub(REPLACEMENT, text)


def shown(value: Any) -> str:
    """Any value as one printable line of at most 80 characters, however long or deeply nested it is."""
    text = value if isinstance(value, str) else reprlib.repr(value)
    line = "".join(sign if sign.isprintable() else " " for sign in text[: 4 * MAX_SHOWN])
    return line if len(line) <= MAX_SHOWN else f"{line[: MAX_SHOWN - 1]}…"
