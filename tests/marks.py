"""Which test files a selection by marks (`-m`) can reach, from their text alone: importing them all takes longer."""

import re
from itertools import combinations

from _pytest.mark.expression import Expression

OPERATORS = {"and", "or", "not"}


def can_be_selected(text: str, expression: str) -> bool:
    """Whether a test in a file with this text can have marks that the expression selects."""
    selects = Expression.compile(expression)
    named = set(re.findall(r"\w+", expression)) - OPERATORS
    there = [name for name in named if re.search(rf"\b{name}\b", text)]
    chosen = (set(some) for count in range(len(there) + 1) for some in combinations(there, count))
    return any(selects.evaluate(lambda name, some=some, **_: name in some) for some in chosen)
