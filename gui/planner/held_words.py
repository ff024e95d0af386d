"""Cards that heat holds back, in the window's words: their watts, and the speed that is left."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from core.predict.held import ALIKE_W, HeldBack
from gui.planner.figures import number

translate = QCoreApplication.translate


def held_words(held: HeldBack) -> str:
    """ "450 W cards run at 320 W here: 91 % of their speed"; without a full stop."""
    spread = held.most_w - held.least_w >= ALIKE_W
    least, most = number(round(held.least_w)), number(round(held.most_w))
    watts = translate("Held", "{least} to {most}").format(least=least, most=most) if spread else least
    told = {
        "count": str(len(held.cards)),
        "all": str(held.count),
        "limit": number(held.limit_w),
        "watts": watts,
        "speed": number(round(100 * held.speed.expected)),
    }
    if held.count == 1:
        words = translate("Held", "The {limit} W card runs at {watts} W here: {speed} % of its speed")
    elif len(held.cards) == 1:
        words = translate("Held", "1 of {all} cards of {limit} W runs at {watts} W here: {speed} % of its speed")
    elif len(held.cards) < held.count and spread:
        words = translate(
            "Held", "{count} of {all} cards of {limit} W run at {watts} W here: the slowest at {speed} % of its speed"
        )
    elif len(held.cards) < held.count:
        words = translate("Held", "{count} of {all} cards of {limit} W run at {watts} W here: {speed} % of their speed")
    elif spread:
        words = translate("Held", "{limit} W cards run at {watts} W here: the slowest at {speed} % of its speed")
    else:
        words = translate("Held", "{limit} W cards run at {watts} W here: {speed} % of their speed")
    return words.format(**told)
