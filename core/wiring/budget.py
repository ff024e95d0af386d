"""How far a search for a wiring may look: counted in steps, so that every machine finds the same."""

from __future__ import annotations

MOST_STEPS = 20_000
"""For one wiring. A step tries one way to feed one group; eight cards on three PSUs take some hundreds."""


class Budget:
    """Steps left."""

    def __init__(self, steps: int = MOST_STEPS) -> None:
        self._left = steps
        self.spent = False
        """Whether something was left out for it."""

    def step(self) -> bool:
        """Takes one; False when none is left."""
        if self._left <= 0:
            self.spent = True
            return False
        self._left -= 1
        return True
