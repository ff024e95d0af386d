"""What fits into a build is worked out once for all tests that open it: for a template that takes seconds."""

from collections import deque
from typing import Any

from core.advise.fits import RANK_FIELDS, WhatFits, figures_of
from core.words import current_language

MOST = 24
"""Questions that are held: each takes a few megabytes."""


class SharedFits(WhatFits):
    """Remembers each verdict, too."""

    def __init__(self, *question: Any) -> None:
        super().__init__(*question)
        self._judged: dict[str, Any] = {}

    def verdict(self, part_id: str) -> Any:
        if part_id not in self._judged:
            self._judged[part_id] = super().verdict(part_id)
        return self._judged[part_id]


_questions: deque[tuple[Any, SharedFits]] = deque(maxlen=MOST)


def shared_fits(build: Any, category: Any, catalogue: Any, replaced: Any = None, quantity: int = 1) -> SharedFits:
    """As `WhatFits`: the one of before where the same was asked, in the same words, of parts with the same figures."""
    columns = catalogue.columns(category, tuple(sorted({*figures_of(category), *RANK_FIELDS[category]})))
    key = build, category, replaced, quantity, current_language(), columns
    for earlier, shared in _questions:
        if earlier == key:
            return shared
    question = SharedFits(build, category, catalogue, replaced, quantity)
    _questions.append((key, question))
    return question
