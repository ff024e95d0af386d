"""What the machine is doing, as far as power and noise care."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum

from core.predict.band import Band


class Load(StrEnum):
    """Steady states. Shorter peaks are told by the excursions."""

    IDLE = "idle"
    TRAINING = "training"
    """All GPUs busy up to their power limit, the CPUs feeding them."""
    ALL_CORE = "all-core"
    """All CPU cores busy up to their limit, the GPUs idle."""
    EVERYTHING = "everything"
    """All GPUs and all CPU cores busy at once."""

    @property
    def words(self) -> str:
        """In the middle of a sentence: "in training"."""
        return _WORDS[self]


_WORDS = {
    Load.IDLE: "when idle",
    Load.TRAINING: "in training",
    Load.ALL_CORE: "with all cores busy",
    Load.EVERYTHING: "with GPUs and CPUs busy at once",
}


class ByLoad(Mapping[Load, Band]):
    """A band for every load, each worked out when it is first asked for: most questions are about one or two."""

    def __init__(self, find: Callable[[Load], Band]) -> None:
        self._find = find
        self._found: dict[Load, Band] = {}

    def __getitem__(self, load: Load) -> Band:
        if load not in self._found:
            self._found[load] = self._find(load)
        return self._found[load]

    def __iter__(self) -> Iterator[Load]:
        return iter(Load)

    def __len__(self) -> int:
        return len(Load)
