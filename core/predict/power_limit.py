"""What a lower power limit costs in speed: the share of its speed that a card keeps in training.

Measured points where there are some; elsewhere a wide band around the curve of one card, because the workload decides
more than the card: what waits for memory loses little, what keeps all units busy loses as much as the power.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.parts.part import Part
from core.parts.specs import GpuSpec
from core.platform.errors import BadInput
from core.predict.band import Band
from core.words import tr

Shares = tuple[float, float, float]
"""low, expected, high share of the speed."""

Point = tuple[float, Shares, str]
"""Share of the own limit, shares of the speed there, source."""

_PRO_6000: Point = (0.5, (0.70, 0.83, 0.96), "rtx6kpro: 600 to 300 W costs 4 % alone, 30 % with many users")
MEASURED: dict[str, Point] = {
    "GeForce RTX 3090": (0.8, (0.88, 0.94, 0.98), "Puget Systems, 4 x RTX 3090 at 280 W; ViT training of qwertyforce"),
    "RTX PRO 6000 Blackwell Workstation Edition": _PRO_6000,
    "RTX PRO 6000 Blackwell Server Edition": _PRO_6000,
}
GENERAL = tr("curve of one RTX 3090 in mixed precision, with a wide band for other cards and workloads")
LEAST_MEASURED = 0.45
"""Below this share of the limit nobody measured."""
USUALLY_ACCEPTED = (0.3, 1.3)
"""Range of the driver over the own limit, for cards whose range is not stated: an RTX 3090 of 350 W takes 100 to 366 W
and, by some makers, 450 W."""
ACCEPTED_W = (30.0, 1500.0)
"""For cards whose own limit is unknown as well."""


@dataclass(frozen=True, slots=True)
class LimitRange:
    """The limits that a card's driver accepts, W. `stated` is False where an end stands in for an unknown figure."""

    low_w: float
    high_w: float
    stated: bool


def accepted_limits(spec: GpuSpec) -> LimitRange:
    """The driver's range as stated, else about the card's own limit."""
    own_w = spec.power_limit_w
    low_w, high_w = (share * own_w for share in USUALLY_ACCEPTED) if own_w is not None else ACCEPTED_W
    least_w, most_w = spec.power_limit_min_w, spec.power_limit_max_w
    stated = least_w is not None and most_w is not None
    return LimitRange(low_w if least_w is None else least_w, high_w if most_w is None else most_w, stated)


def require_accepted(part: Part, limit_w: float) -> None:
    """Raises BadInput for a limit that the card's driver would refuse. `part` must be a GPU."""
    spec = part.spec
    assert isinstance(spec, GpuSpec)
    accepted = accepted_limits(spec)
    if accepted.low_w <= limit_w <= accepted.high_w:
        return
    title, low_w, high_w = part.title, accepted.low_w, accepted.high_w
    if accepted.stated:
        fields = {"part": title, "limit_w": limit_w, "low_w": low_w, "high_w": high_w}
        raise BadInput(
            tr(
                "{part} does not accept a power limit of {limit_w:g} W: its driver accepts {low_w:.0f} "
                "to {high_w:.0f} W.",
                **fields,
            )
        )
    fields = {"part": title, "limit_w": limit_w, "low_w": low_w, "high_w": high_w}
    raise BadInput(
        tr(
            "{part} does not accept a power limit of {limit_w:g} W: its range is not stated, and "
            "such a card accepts about {low_w:.0f} to {high_w:.0f} W.",
            **fields,
        )
    )


def speed_at_limit(part: Part, limit_w: float) -> Band:
    """Speed under a limit over speed at the card's own, 0 to 1.

    A limit below what the card accepts counts as that; one above its own brings nothing that is known. Assumptions
    name the source. Raises ValueError for a part that is no GPU.
    """
    spec = part.spec
    if not isinstance(spec, GpuSpec):
        raise ValueError(f"{part.id} is no GPU")
    if spec.power_limit_w is None:
        return Band(0.2, 0.7, 1.0, "", (GENERAL,), (f"{part.id}.power_limit_w",))
    least_w = spec.power_limit_min_w
    notes = []
    if least_w is not None and limit_w < least_w:
        notes.append(tr("{part} accepts no limit below {least_w:g} W", part=part.title, least_w=least_w))
        limit_w = least_w
    share = min(1.0, limit_w / spec.power_limit_w)
    if share < LEAST_MEASURED:
        notes.append(tr("below {percent:.0f} % of the limit nothing was measured", percent=100 * LEAST_MEASURED))
    shares, source = _shares(spec.product, share)
    missing = () if least_w is not None else (f"{part.id}.power_limit_min_w",)
    return Band(*shares, "", (tr("speed under the limit: {source}", source=source), *notes), missing)


def _shares(product: str, share: float) -> tuple[Shares, str]:
    measured = MEASURED.get(product)
    if measured is None:
        return _general(share), GENERAL
    at, there, source = measured
    if share >= at:
        way = (1 - share) / (1 - at)
        low, expected, high = (1 - way * (1 - speed) for speed in there)
        return (low, expected, high), source
    further, here = _general(share), _general(at)
    low, expected, high = (speed * new / old for speed, new, old in zip(there, further, here, strict=True))
    return (min(low, expected), expected, high), source


def _general(share: float) -> Shares:
    """In proportion to the power at worst; a memory-bound load, which keeps 96 % at half the power, at best."""
    return share, max(share, _mixed_precision(share) / _mixed_precision(1.0)), 1 - 0.16 * (1 - share) ** 2


def _mixed_precision(share: float) -> float:
    """ViT training on an RTX 3090 in TF32 by power over 480 W (qwertyforce), with its own limit of 350 W."""
    return 1 - 1.52 * float((1 - share * 350 / 480) ** 3.1)
