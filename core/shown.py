"""Values of unknown origin as one short line, so that an error or a list can show them."""

from __future__ import annotations

import reprlib
from typing import Any

MAX_SHOWN = 80
"""Characters."""


def shown(value: Any) -> str:
    """Any value as one printable line of at most 80 characters, however long or deeply nested it is."""
    text = value if isinstance(value, str) else reprlib.repr(value)
    line = "".join(sign if sign.isprintable() else " " for sign in text[: 4 * MAX_SHOWN])
    return line if len(line) <= MAX_SHOWN else f"{line[: MAX_SHOWN - 1]}…"
