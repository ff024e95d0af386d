"""Names of the lines of a text: in JSON that is written a value a line, the path of the field."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.language import tr

_FIELD = re.compile(rb'^( *)(?:"((?:[^"\\]|\\.)*)": ?)?(.*?),?\r?\n?$')


def line_names(lines: Sequence[bytes]) -> list[str]:
    """For each line what it is called: "line 12 (verdicts[0].outcome)", or "line 12" in a text that is not JSON."""
    if not lines or lines[0].strip() != b"{":
        return [tr("line {number}", number=number) for number in range(1, len(lines) + 1)]
    return [
        tr("line {number} ({path})", number=number, path=path) if path else tr("line {number}", number=number)
        for number, path in enumerate(_paths(lines), 1)
    ]


def _paths(lines: Sequence[bytes]) -> list[str]:
    """By indentation, so that a text that is no JSON any more has names too."""
    found: list[str] = []
    path: list[str] = []
    counts: list[int] = []
    for line in lines:
        match = _FIELD.match(line)
        if match is None:
            found.append("")
            continue
        depth = len(match[1])
        del path[max(depth - 1, 0) :], counts[depth + 1 :]
        counts += [-1] * (depth + 1 - len(counts))
        counts[depth] += match[3] not in (b"}", b"]")
        if match[2] is not None:
            path.append("." + match[2].decode(errors="replace"))
        elif depth:
            path.append(f"[{counts[depth]}]")
        found.append("".join(path).removeprefix("."))
    return found
