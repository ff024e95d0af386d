"""Random catalogues so small that every machine of theirs can be tried, and the best of all by trying."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from itertools import product
from random import Random

from core.find.bounds import card_count, size_gb
from core.find.candidates import CATEGORIES, Candidates, Choice, Offer, Offers, candidates
from core.find.machine import HALF_DB, Key, Machines, base_build, key_of, speed_step
from core.find.search import ORDER, Objective
from core.find.tables import is_failed
from core.find.wish import Place, Wish
from core.parts.part import Part, Price
from core.parts.vocabulary import Category
from core.predict.prediction import predict
from core.predict.speed.host import channels_of
from core.predict.speed.networks import Network
from core.rules.context import RuleContext
from core.rules.engine import check
from core.rules.finding import Status
from core.rules.registry import RULES
from tests.rules.machines import part, slot

TODAY = date(2026, 11, 1)
GPU = {
    "product": "GeForce RTX 3090",
    "memory_bandwidth_gbps": 936,
    "fp32_tflops": 35,
    "fp16_tensor_tflops": 71,
    "p2p": False,
    "chip": "GA102",
}


def _cards(random: Random) -> Iterator[Part]:
    for suffix in "ab":
        yield part(
            "gpu",
            suffix=suffix,
            **GPU,
            cooling=random.choice(["blower", "open_air"]),
            length_mm=random.choice([250, 300, 340]),
            width_slots=random.choice([2, 3]),
            memory_gb=random.choice([12, 24]),
            power_limit_w=random.choice([200, 300, 450]),
            power_limit_min_w=random.choice([None, 150]),
        )


def _boards(random: Random) -> Iterator[Part]:
    for suffix in "ab":
        positions = random.choice([(1, 4), (1, 3, 5), (2,), (1, 2, 5)])
        yield part(
            "motherboard",
            suffix=suffix,
            slots=[slot(position, lanes=random.choice([4, 8, 16])) for position in positions],
            ram_slots=8,
            ram_channels=random.choice([2, 4]),
            socket=random.choice(["SP3", "SP3", "SP3", "TR4"]),
            ram_type="DDR4",
            power_inputs=[{"kind": "atx_24pin", "count": 1}, {"kind": "eps_8pin", "count": random.choice([1, 2])}],
        )


def _rest(random: Random) -> Iterator[Part]:
    for suffix in "ab":
        cores, watts = random.choice([2, 8, 32]), random.choice([65, 200])
        yield part(
            "cpu",
            suffix=suffix,
            socket=random.choice(["SP3", "SP3", "SP3", "TR4"]),
            cores=cores,
            sustained_power_w=watts,
        )
        yield part("cpu_cooler", suffix=suffix, height_mm=random.choice([100, 160, 190]))
        yield part(
            "case",
            suffix=suffix,
            kind=random.choice(["tower", "tower", "tower", "rack"]),
            gpu_max_length_mm=random.choice([280, 320, 400]),
            expansion_slots=random.choice([5, 7, 8]),
        )
    yield part("ram", modules=random.choice([4, 8]), module_gb=random.choice([8, 16]), kind="RDIMM")
    yield part("storage", capacity_gb=2000)
    for suffix, watts in (("a", random.choice([500, 750])), ("b", random.choice([1000, 1600]))):
        yield part(
            "psu",
            suffix=suffix,
            power_w=watts,
            input_limits=[{"from_v": 100, "to_v": 240, "power_w": watts}],
            length_mm=random.choice([150, 220]),
            cables=[
                {"kind": "atx_24pin", "cables": 1},
                {"kind": "eps_8pin", "cables": random.choice([1, 2])},
                {"kind": "pcie_8pin", "cables": random.choice([2, 4, 6]), "connectors_per_cable": 1},
            ],
        )


def offers_of(seed: int) -> Offers:
    """A random catalogue of two parts of most categories, with prices."""
    random, more = Random(seed), Random(f"offers {seed}")
    by_category: dict[Category, tuple[Offer, ...]] = dict.fromkeys(CATEGORIES, ())
    for one in (*_cards(random), *_boards(random), *_rest(random)):
        day = TODAY - timedelta(days=random.randrange(300))
        price = Price(amount=random.randrange(50, 900), currency="USD", as_of=day, kind="street")
        by_category[one.category] += (Offer(_maybe_plainer(one, more), price, more.random() < 0.2),)
    return Offers(by_category, "USD", TODAY)


def _maybe_plainer(one: Part, random: Random) -> Part:
    """Some boards and RAM correct no errors; of some boards nobody knows where their slots stand; some have two sockets
    with slots of the second CPU, and some CPUs go beside another."""
    plainer = one.category in (Category.MOTHERBOARD, Category.RAM) and random.random() < 0.3
    figures: dict[str, object] = {"ecc": False} if plainer else {}
    if one.category is Category.MOTHERBOARD and random.random() < 0.3:
        figures["places_assumed"] = True
    if one.category is Category.MOTHERBOARD and random.random() < 0.3:
        slots = one.spec.slots or ()
        second = tuple(each.model_copy(update={"cpu": 1}) for each in slots[1:])
        figures |= {"cpu_sockets": 2, "slots": (*slots[:1], *second)}
    if one.category is Category.CPU and random.random() < 0.5:
        figures["max_sockets"] = 2
    return one.model_copy(update={"spec": one.spec.model_copy(update=figures)}) if figures else one


def wish_of(seed: int) -> Wish:
    """A random wish that such a catalogue may answer."""
    random, more = Random(seed), Random(f"wish {seed}")
    values = {
        "network": random.choice(list(Network)),
        "money": random.choice([None, 4000, 5000, 8000]),
        "memory_gb": random.choice([12, 24, 24, 36]),
        "rate": random.choice([None, None, 100]),
        "noise_dba": random.choice([None, None, 60, 48]),
        "place": random.choice([Place.TOWER, Place.OPEN_FRAME]),
        "region": random.choice(["eu-230v-16a", "us-120v-15a"]),
        "channels_share": random.choice([0.5, 1.0]),
        "drive_gb": 1000,
    }
    demands = _demands(seed, more)
    return Wish.model_validate(
        values | {name: demands[name] for name in more.sample(sorted(demands), more.choice([0, 1, 2]))}
    )


def _demands(seed: int, random: Random) -> dict[str, object]:
    """What only some wishes ask for."""
    parts = [offer.part for group in offers_of(seed).by_category.values() for offer in group]
    card = random.choice([part.id for part in parts if part.category is Category.GPU])
    return {
        "owned": {card: random.choice([1, 2, 3])},
        "must": [random.choice(parts).id],
        "must_not": [card],
        "used": False,
        "ecc": True,
        "bmc": True,
        "cards": random.choice([1, 2]),
        "cores_per_card": random.choice([1.0, 8.0]),
        "ram_gb": random.choice([64, 128]),
        "circuits": 2,
        "room_c": 38.0,
        "rate": random.choice([20, 60]),
        "noise_dba": random.choice([44, 52]),
        "open_questions": True,
    }


def best_by_trying(wish: Wish, among: Candidates, objective: Objective) -> Key | None:
    """The key of the best of all machines, each judged as a whole; None if none holds."""
    keys = (key for choices in every_machine(wish, among) if (key := key_by_itself(wish, choices, objective)))
    return min(keys, default=None)


def every_machine(wish: Wish, among: Candidates) -> Iterator[tuple[Choice, ...]]:
    """All combinations that are not too dear or small by plain sums."""
    base = base_build(wish)
    for choices in product(*(among.choices[category] for category in ORDER)):
        chosen = dict(zip(ORDER, choices, strict=True))
        cards, board, cpu, ram = (chosen[c] for c in (Category.GPU, Category.MOTHERBOARD, Category.CPU, Category.RAM))
        gb = cards.spec.memory_gb * cards.line.quantity
        if wish.money is not None and sum(one.cents for one in choices) > 100 * wish.money:
            continue
        if cards.line.quantity > len(board.spec.slots) or gb < (wish.memory_gb or 0) or size_gb(ram) < gb:
            continue
        modules, channels = ram.line.quantity * ram.spec.modules, channels_of(base.with_lines((board.line, cpu.line)))
        cores = cpu.spec.cores * cpu.line.quantity
        if size_gb(ram) < wish.ram_gb or cores < wish.cores_per_card * card_count(cards):
            continue
        if cpu.line.quantity != chosen[Category.CPU_COOLER].line.quantity:
            continue
        if modules >= wish.channels_share * (channels or 1):
            yield choices


def key_by_itself(wish: Wish, choices: tuple[Choice, ...], objective: Objective) -> Key | None:
    """What the search compares a machine by; None where a rule stands against it or the wish is not met."""
    base = base_build(wish)
    machines, chosen = Machines(wish, base), dict(zip(ORDER, choices, strict=True))
    cards = machines.seated(chosen)
    if cards is None:
        return None
    build = machines.build(chosen, cards)
    context = RuleContext(build)
    if any(is_failed(rule, context) for rule in RULES):
        return None
    prediction = predict(build, wish.conditions)
    if any(finding.status is Status.FAIL for finding in check(build, prediction)):
        return None
    rate, noise = machines.rate(prediction), prediction.noise_load.high
    if rate < (wish.rate or 1e-9) or (wish.noise_dba is not None and noise > wish.noise_dba):
        return None
    primary = {Objective.FASTEST: -speed_step(rate), Objective.CHEAPEST: 0, Objective.QUIETEST: int(noise / HALF_DB)}
    return key_of(primary[objective], sum(one.cents for one in choices), choices)


def small(seed: int) -> tuple[Wish, Candidates]:
    """A wish and what it may be answered with."""
    wish = wish_of(seed)
    return wish, candidates(wish, offers_of(seed))
