"""Whether somebody has stopped a child (SIGSTOP, job control, a debugger), and for how long."""

from __future__ import annotations

LOOK_EVERY_S = 0.25
NOTED_S = 1.0
"""A shorter freeze costs at most one sample."""


class FreezeWatch:
    """Looked at several times a second. A freeze counts from the last look at which the child still ran."""

    def __init__(self) -> None:
        self._ran_s: float | None = None
        """When it was last seen to run."""
        self._frozen = False
        self.lasted_s = 0.0
        """Of the freeze that goes on, so far."""

    def forget(self) -> None:
        """There is no child, or it is another one from now on."""
        self._ran_s, self._frozen, self.lasted_s = None, False, 0.0

    def excuse(self, seconds: float) -> None:
        """Nobody has looked for so long: who was frozen meanwhile is not known."""
        if self._ran_s is not None:
            self._ran_s += seconds

    def look(self, now_s: float, *, frozen: bool) -> float | None:
        """How long a freeze took that is over, where it is worth a word."""
        ran_s = now_s if self._ran_s is None else self._ran_s
        if frozen:
            self._ran_s, self._frozen, self.lasted_s = ran_s, True, now_s - ran_s
            return None
        was_frozen, self._frozen, self.lasted_s, self._ran_s = self._frozen, False, 0.0, now_s
        return now_s - ran_s if was_frozen and now_s - ran_s >= NOTED_S else None
