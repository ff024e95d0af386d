"""A reader that is fuzzed."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

FEW = 15


@dataclass(frozen=True, slots=True)
class Target:
    """A reader, and what it reads when all is well."""

    name: str
    run: Callable[[bytes, Path], object]
    good: Callable[[], tuple[bytes, ...]]
    share: int = 1
    """Of the time: a slow one gets more, so that the inputs are spread more evenly."""
    few: int = FEW
    """Inputs in each `make test`."""
