"""Proves before each load that its checks see faults: a check that sees nothing would pass everything.

Each load injects the faults that its checks are for and records which were seen, by kind. One that was not seen fails
the load.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from core.language import tr

BIT_FLIP = "bit flip"
NAN = "NaN"
REPEATABLE = "repeatable wrong value"
STUCK_ADDRESS = "stuck address"
STUCK_BIT = "stuck bit"
SHARED_ADDRESS = "two addresses of one cell"
CORRUPTED_TRANSFER = "corrupted transfer"
DIVERGING_REPLICA = "diverging replica"
KIND_WORDS = {
    BIT_FLIP: tr("bit flip"),
    NAN: "NaN",
    REPEATABLE: tr("repeatable wrong value"),
    STUCK_ADDRESS: tr("stuck address"),
    STUCK_BIT: tr("stuck bit"),
    SHARED_ADDRESS: tr("two addresses of one cell"),
    CORRUPTED_TRANSFER: tr("corrupted transfer"),
    DIVERGING_REPLICA: tr("diverging replica"),
}
"""The kinds as they are shown; they are recorded by their English names."""
EVERY_KIND = tuple(KIND_WORDS)

SEEN = "seen"


@dataclass(slots=True)
class SelfTest:
    """Which kinds of injected faults were seen, and where one was not."""

    _seen: dict[str, str] = field(default_factory=dict)

    def note(self, kind: str, seen: bool, where: str = "") -> None:
        """Adds one attempt; a kind counts as seen when it was seen in all of them."""
        missed = tr("not seen in {where}", where=where) if where else tr("not seen")
        if not seen:
            self._seen[kind] = missed
        else:
            self._seen.setdefault(kind, SEEN)

    @property
    def blind(self) -> str | None:
        """A sentence when a fault was not seen; None if all were."""
        unseen: list[str] = [
            tr("an injected {kind} ({how})", kind=KIND_WORDS.get(kind, kind), how=how)
            for kind, how in self._seen.items()
            if how != SEEN
        ]
        if not unseen:
            return None
        told = unseen[0]
        for one in unseen[1:]:
            told = tr("{kinds} nor {kind}", kinds=told, kind=one)
        return tr("self-test: the checks missed {kinds}.", kinds=told)

    def evidence(self) -> dict[str, str]:
        """By kind of fault "seen" or "not seen in ..."; empty when nothing was tried yet."""
        return dict(self._seen)
