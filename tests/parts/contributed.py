"""A single file of parts that somebody contributes."""

from pathlib import Path

from core.parts.contribution import read_contributions
from core.parts.part import Part


def read_contribution(path: Path) -> list[Part]:
    """The parts of the file; BadInput with all its faults."""
    return read_contributions((path,))[str(path)]
