"""What became of an update of prices, in words."""

from __future__ import annotations

from core.language import joined, plain, tr, trn
from core.parts.price_import import Outcome, PriceUpdate
from core.parts.price_list import Doubt
from core.units import number


def update_words(update: PriceUpdate) -> str:
    """ "Prices: 40 changed, 12 new, 5 unchanged. 3 known prices are newer." """
    counts = update.counts
    changed, new, same = (counts[one] for one in (Outcome.CHANGED, Outcome.NEW, Outcome.SAME))
    own, older, better = (counts[one] for one in (Outcome.OWN, Outcome.OLDER, Outcome.BETTER))
    check, similar, unmatched = (counts[one] for one in (Outcome.DOUBTFUL, Doubt.SIMILAR, Doubt.UNMATCHED))
    shares = _said(
        (changed, trn("{count} changed", "{count:,} changed", count=changed)),
        (new, trn("{count} new", "{count:,} new", count=new)),
        (same, trn("{count} unchanged", "{count:,} unchanged", count=same)),
    )
    rest = _said(
        (own, trn("{count} part kept your own price.", "{count:,} parts kept your own price.", count=own)),
        (older, trn("{count} known price is newer.", "{count:,} known prices are newer.", count=older)),
        (better, trn("{count} known price counts more.", "{count:,} known prices count more.", count=better)),
        (check, trn("{count} price is to be checked.", "{count:,} prices are to be checked.", count=check)),
        (similar, trn("{count} line may be several parts.", "{count:,} lines may be several parts.", count=similar)),
        (unmatched, trn("{count} line matches no part.", "{count:,} lines match no part.", count=unmatched)),
    )
    first = tr("Prices: {shares}.", shares=joined(shares, ", ")) if shares else tr("No price was updated.")
    return joined((first, *rest))


def _said(*words: tuple[int, str]) -> list[str]:
    """The words for what there is any of."""
    return [text for count, text in words if count]


def factor_words(times: float | None) -> str:
    """ "+12 %", "× 4.2", "÷ 12": how a price changed; empty where it cannot be told."""
    if times is None:
        return ""
    if times >= 2:
        return plain("× {times}", times=number(times, 1))
    if times <= 0.5:
        return plain("÷ {times}", times=number(1 / times, 1))
    percent = round((times - 1) * 100)
    sign = "+" if percent > 0 else "−" if percent < 0 else "±"
    return plain("{sign}{percent} %", sign=sign, percent=abs(percent))
