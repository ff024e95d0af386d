"""What a machine's energy and cooling cost, and its speed for each 1000 of the price of its parts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import Field

from core.parts.price_guide import NO_GUIDE, PriceGuide
from core.plan.build import Build
from core.platform.json_value import JsonValue, in_json
from core.predict.band import Band, Triple
from core.predict.power import BTU_PER_HOUR_PER_W
from core.predict.price import CurrencyTotal, price_of, price_of_lines
from core.words import tr


@dataclass(frozen=True, slots=True)
class PerPrice(JsonValue):
    """Samples per second for each 1000 of a currency: of the GPUs alone, of the whole build if all of it has prices."""

    currency: str
    gpus: Annotated[Band, Field(serialization_alias="gpus_per_1000")]
    build: Annotated[Band | None, Field(serialization_alias="build_per_1000")]


def per_price(build: Build, rate: Band, guide: PriceGuide = NO_GUIDE) -> PerPrice | None:
    """None where nothing is known of the price of a GPU, or it has no rate, or a GPU is owned. Pure."""
    cards = price_of_lines(build, (line for line, _ in build.workers()), guide)
    if cards.unpriced or cards.owned or len(cards.totals) != 1:
        return None
    currency = cards.totals[0].currency
    whole = price_of(build, guide, currency)
    unit = tr("{unit} per 1000 {currency}", unit=rate.unit, currency=currency)
    all_priced = not whole.unpriced and len(whole.totals) == 1
    of_machine = _per_1000(rate, whole.totals[0], unit) if all_priced else None
    return PerPrice(currency, _per_1000(rate, cards.totals[0], unit), of_machine)


def _per_1000(rate: Band, total: CurrencyTotal, unit: str) -> Band:
    """Over the middle of the price; the ends are those of the rate over the far ends of the price."""
    low, high = total.range
    per_cost = rate.times(2000 / (low + high)).measured_in(unit)
    return per_cost if low == high else replace(per_cost, low=rate.low * 1000 / high, high=rate.high * 1000 / low)


HOURS_PER_MONTH = 730.0
"""A twelfth of a year."""
COP: Triple = (2.2, 3.0, 4.0)
"""Heat that an air conditioner moves per watt it draws: 3 is usual; general knowledge."""
ROOM_W_PER_K: Triple = (50.0, 90.0, 150.0)
"""What walls, door and gaps of a closed room of some 40 m3 let out; general knowledge."""
COP_ASSUMPTION = tr("Air conditioning moves 2.2 to 4 W of heat for each watt that it draws.")
ROOM_ASSUMPTION = tr("A closed room of about 40 m³ loses 50 to 150 W per kelvin; with a window open it stays cooler.")


@dataclass(frozen=True, slots=True)
class Energy(JsonValue):
    """From the power at the wall in steady training; `tariff` per kWh in any currency, None: no cost."""

    wall_w: Band
    tariff: float | None = None

    def kwh(self, hours: float) -> Band:
        """Energy of a run of so many hours."""
        return self.wall_w.times(hours / 1000).measured_in("kWh")

    def cost(self, hours: float) -> Band | None:
        """What it costs, in the tariff's currency; None without a tariff."""
        return None if self.tariff is None else self.kwh(hours).times(self.tariff).measured_in("")

    @property
    def heat_btu_h(self) -> Band:
        """What the room must get rid of, BTU/h."""
        return self.wall_w.times(BTU_PER_HOUR_PER_W).measured_in("BTU/h")

    @property
    def cooling_w(self) -> Band:
        """What air-conditioning draws on top to carry the heat out, W."""
        least, usual, most = COP
        cooled = self.wall_w.times(1 / most, 1 / usual, 1 / least)
        return cooled.noting([COP_ASSUMPTION])

    @property
    def room_rise_k(self) -> Band:
        """How much warmer a closed room gets without air-conditioning, K."""
        least, usual, most = ROOM_W_PER_K
        return self.wall_w.times(1 / most, 1 / usual, 1 / least).measured_in("K").noting([ROOM_ASSUMPTION])

    def as_dict(self) -> dict[str, Any]:
        """For JSON: per hour, day and month of training without a pause."""
        periods = {"hour": 1.0, "day": 24.0, "month": HOURS_PER_MONTH}
        costs = {name: self.cost(hours) for name, hours in periods.items()}
        return {
            "kwh": {name: self.kwh(hours).as_dict() for name, hours in periods.items()},
            "cost": in_json(costs),
            **{name: in_json(getattr(self, name)) for name in ("heat_btu_h", "cooling_w", "room_rise_k")},
        }
