"""A language of noise: what a careless translator might write, to show that nothing is decided by words.

The fields of a sentence stand in another order, among none of its words and units, with full stops and colons where it
has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from string import Formatter
from typing import Any

import pytest

from core.words import message, spoken


@cache
def noise(template: str) -> str:
    """Of a template: other words, and its fields in another order."""
    fields = [
        "{" + name + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "") + "}"
        for _, name, spec, conversion in Formatter().parse(template)
        if name is not None
    ]
    word = sha256(template.encode()).hexdigest()
    return " ".join([f"{word[:5]}. {word[5:9]}:", *reversed(fields)])


@contextmanager
def noisy(*, in_place_of_english: bool) -> Iterator[None]:
    """Whoever speaks within speaks noise."""
    worded = message._worded

    def instead(language: str, template: str, fields: Any, plural: str | None, context: str | None, *by: Any) -> str:
        if context in ("", *message._ENDS) or (language == "en" and not in_place_of_english):
            return worded(language, template, fields, plural, context, *by)
        words = template if plural is None or fields["count"] == 1 else plural
        return worded("en", noise(words), fields, None, None, *by)

    with pytest.MonkeyPatch.context() as patch, spoken("en" if in_place_of_english else "xx"):
        patch.setattr(message, "_worded", instead)
        patch.setattr(message, "_OTHERS_SPOKEN", {"xx"})
        yield
