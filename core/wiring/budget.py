"""How far a search for a wiring may look: counted in steps, so that every machine finds the same."""

from __future__ import annotations

MOST_STEPS = 20_000
"""For one search. A step tries one way to feed one group; eight cards on three PSUs take some hundreds."""
MOST_FIRST_STEPS = 50_000
"""For the first wiring, which every search sets out from: a hundred cards on fifty PSUs keep to it."""
REFUSALS = 8
"""So many ways for which there are too few plugs take as long as a step."""


class Budget:
    """Steps left."""

    def __init__(self, steps: int = MOST_STEPS) -> None:
        self._left: float = steps
        self._short = False

    def step(self) -> bool:
        """Takes one; False when none is left."""
        if self._left <= 0:
            self._short = True
            return False
        self._left -= 1
        return True

    def refused(self) -> None:
        """Takes the part of a step that a way costs for which there is too little."""
        self._left -= 1 / REFUSALS

    def spent(self) -> bool:
        """Whether something was left out for it."""
        return self._short
