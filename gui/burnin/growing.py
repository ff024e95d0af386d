"""An array that only grows. Qt-free."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", bound=np.generic)


class Growing(Generic[Number]):
    """Shape (n,). Room is doubled when it runs out: to append one value at a time costs little."""

    def __init__(self, dtype: type[Number]) -> None:
        self._room: NDArray[Number] = np.empty(0, dtype)
        self._length = 0

    def __len__(self) -> int:
        return self._length

    @property
    def all(self) -> NDArray[Number]:
        """A view, good until the next value."""
        return self._room[: self._length]

    def put(self, at: int, values: NDArray[np.generic]) -> None:
        """Replaces all from `at` on; what lies between the end and `at` is undefined."""
        end = at + len(values)
        if end > len(self._room):
            room = np.empty(max(end, 2 * len(self._room)), self._room.dtype)
            room[:at] = self._room[:at]
            self._room = room
        self._room[at:end] = values
        self._length = end

    def append(self, values: NDArray[np.generic]) -> None:
        """Adds values, cast to the array's kind."""
        self.put(self._length, values)
