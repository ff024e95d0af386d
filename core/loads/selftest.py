"""Proves before each load that its checks see faults: a check that sees nothing would pass everything.

Each load injects the faults that its checks are for and records which were seen, by kind. One that was not seen fails
the load.
"""

from __future__ import annotations

from dataclasses import dataclass, field

BIT_FLIP = "bit flip"
NAN = "NaN"
REPEATABLE = "repeatable wrong value"
STUCK_ADDRESS = "stuck address"
STUCK_BIT = "stuck bit"
SHARED_ADDRESS = "two addresses of one cell"
CORRUPTED_TRANSFER = "corrupted transfer"
DIVERGING_REPLICA = "diverging replica"
EVERY_KIND = (
    BIT_FLIP,
    NAN,
    REPEATABLE,
    STUCK_ADDRESS,
    STUCK_BIT,
    SHARED_ADDRESS,
    CORRUPTED_TRANSFER,
    DIVERGING_REPLICA,
)

SEEN = "seen"


@dataclass(slots=True)
class SelfTest:
    """Which kinds of injected faults were seen, and where one was not."""

    _seen: dict[str, str] = field(default_factory=dict)

    def note(self, kind: str, seen: bool, where: str = "") -> None:
        """Adds one attempt; a kind counts as seen when it was seen in all of them."""
        missed = f"not seen in {where}" if where else "not seen"
        if not seen:
            self._seen[kind] = missed
        else:
            self._seen.setdefault(kind, SEEN)

    @property
    def blind(self) -> str | None:
        """A sentence when a fault was not seen; None if all were."""
        unseen = [f"an injected {kind} ({how})" for kind, how in self._seen.items() if how != SEEN]
        return f"self-test: the checks did not see {' nor '.join(unseen)}." if unseen else None

    def evidence(self) -> dict[str, str]:
        """By kind of fault "seen" or "not seen in ..."; empty when nothing was tried yet."""
        return dict(self._seen)
