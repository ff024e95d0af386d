"""What feeds cards on carriers."""

from __future__ import annotations

from core.build.build import Build
from core.build.line import Line
from core.build.seats import SlotNumber
from core.parts.vocabulary import Category
from core.wiring.demand import demand
from core.wiring.wire import wire
from tests.rules.machines import good_build, part, with_line


def on_carrier(**figures: object) -> Build:
    """One card on a carrier in slot 1."""
    build = with_line(good_build(), part("gpu"), 1, (SlotNumber.on_carrier(1, 1),))
    return build.with_lines((*build.lines, Line(part("carrier", **figures), hosts=((1,),))))


def test_a_powered_carrier_gives_what_its_card_draws_through_the_slot() -> None:
    own, fed = demand(on_carrier(powered=False)), demand(on_carrier(powered=True))
    assert [group.sockets[0].category for group in fed.cards] == [Category.GPU, Category.CARRIER]
    assert round(own.board.load_w - fed.board.load_w, 1) == round(fed.cards[1].load_w, 1) == 60.0


def test_its_own_inputs_are_fed() -> None:
    wiring = wire(on_carrier(power_inputs=[{"kind": "eps_8pin", "count": 1}]))
    feeds = [feed for feed in wiring.feeds if feed.socket.category is Category.CARRIER]
    assert [feed.socket.kind.value for feed in feeds] == ["eps_8pin"]


def test_a_box_with_a_psu_of_its_own_feeds_its_card() -> None:
    assert demand(on_carrier(kind="external_box", psu_w=650)).cards == ()
