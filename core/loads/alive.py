"""Slow work of the host in a load: done in slices, with a sign of life after each."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TypeVar

from core.loads.load import StepReport

Result = TypeVar("Result")


def alive(work: Generator[None, None, Result]) -> Generator[StepReport, None, Result]:
    """Does the work; `yield from` it for its result."""
    while True:
        try:
            next(work)
        except StopIteration as ended:
            result: Result = ended.value
            return result
        yield StepReport()


def alive_through(work: Iterator[None]) -> Iterator[StepReport]:
    """Does work that has no result."""
    for _ in work:
        yield StepReport()
