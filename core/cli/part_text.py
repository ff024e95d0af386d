"""A part in the terminal: figures as `parts set` and `parts new` take them back, the evidence and the sources."""

from __future__ import annotations

import shlex

from rich.markup import escape

from core.cli.options import console
from core.parts.part import Part
from core.parts.typed import as_typed


def print_part(part: Part) -> None:
    """All figures of a part, how well each is supported, and the sources."""
    console.print(f"[bold]{escape(part.title)}[/]  {part.category.label}  [dim]{part.id}[/]\n")
    known = part.spec.model_dump(mode="json", exclude_none=True)
    for field in type(part.spec).model_fields:
        if field != "category":
            word = shlex.quote(as_typed(part.category, field, known.get(field)))
            console.print(f"[dim]{part.evidence(field).value:<12}[/]{escape(word)}")
    console.print()
    for source in part.sources:
        console.print(f"  source: {escape(source.title)} {escape(source.url or '(not confirmed)')}")
    if part.note:
        console.print(f"  note: {escape(part.note)}")
    console.print(
        f"\nCorrect a figure with: rigwright parts set {part.id} FIGURE=VALUE. --as-command prints the command"
        " that makes a part of your own like it."
    )
