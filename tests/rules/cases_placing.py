"""Cases of the rules of slots, links, topology, risers and NVLink."""

from dataclasses import replace
from typing import Any

from core.plan.build import Build
from core.plan.line import Line, Role
from core.plan.seats import SlotNumber
from core.rules.finding import Status
from tests.rules.changes import Change, adding, board_slots, both, count, figures, placing, set_to
from tests.rules.machines import part, slot, with_line


def on_risers(*slots: int, **changes: Any) -> Change:
    """Four cards of which those in these slots are on risers, and as many risers."""

    def apply(build: Build) -> Build:
        lines = tuple(replace(line, risers=slots) if line.part.id == "gpu" else line for line in build.lines)
        return with_line(build.with_lines(lines), part("riser", **changes), len(slots))

    return apply


def drive_adapter(kind: str) -> Change:
    """An adapter that makes a plug for a riser of one for drives."""
    return adding("cable", source_kind=kind, target_kind="pcie_6pin")


def second_on_riser(build: Build) -> Build:
    """The second line's card is on a riser, too."""
    lines = tuple(replace(line, risers=line.slots) if line.part.id == "gpu-2" else line for line in build.lines)
    return with_line(build.with_lines(lines), part("riser"), 2)


def on_carrier(*slots: int | str, host: int | str | None = 1, **changes: Any) -> Change:
    """Cards of the good machine in these slots, of which some may be seats of a carrier in this host."""

    def apply(build: Build) -> Build:
        places = tuple(SlotNumber.parse(str(slot)) for slot in slots)
        build = with_line(build, part("gpu"), len(places), places)
        carrier = Line(part("carrier", **changes), hosts=((host,),) if host is not None else ())
        return build.with_lines((*build.lines, carrier))

    return apply


def network_card_on_carrier(build: Build) -> Build:
    """A network card in the seat of a carrier in slot 1."""
    build = on_carrier(3)(build)
    return build.with_lines((*build.lines, Line(part("nic"), slots=(SlotNumber.on_carrier(1, 1),))))


BOX = {
    "kind": "external_box",
    "psu_w": 650,
    "card_w": 500,
    "card_max_length_mm": 330,
    "card_max_slots": 3,
    "seats": [{"number": 1, "lanes": 4}],
}


def in_box(limit_w: float | None = None, **changes: Any) -> Change:
    """The good machine with its last card, perhaps of another limit, in an external box with a PSU of its own."""
    placed = on_carrier(3, 5, 7, "C1/1", **{**BOX, **changes})
    return both(placed, figures("gpu", power_limit_w=limit_w)) if limit_w else placed


def on_module_carrier(*seats: dict[str, Any], modules: int = 1, socket: str | None = "sxm2", **changes: Any) -> Change:
    """SXM modules instead of cards, on a carrier of these seats in slot 1."""

    def apply(build: Build) -> Build:
        module = part("gpu", form="sxm", module_socket=socket)
        places = tuple(SlotNumber.on_carrier(1, seat["number"]) for seat in seats[:modules])
        carrier = part("carrier", kind="module_carrier", seats=list(seats), **changes)
        build = with_line(build, module, modules, places)
        return build.with_lines((*build.lines, Line(carrier, hosts=((1,),))))

    return apply


def second_module(build: Build) -> Build:
    """Another module in the socket of the first."""
    module = part("gpu", suffix="-2", form="sxm", module_socket="sxm2")
    return with_line(build, module, 1, (SlotNumber.on_carrier(1, 1),))


SXM2 = {"number": 1, "kind": "sxm", "socket": "sxm2", "lanes": 16}
HOT_MODULE = figures("gpu", form="sxm", module_socket="sxm2", power_limit_w=400)
TWO_8_PIN = [{"kind": "pcie_8pin", "count": 2}]


def on_slimsas_switch(build: Build) -> Build:
    """Two cards on a switch with SlimSAS cables in slot 1."""
    seats = [{"number": 1, "lanes": 16}, {"number": 4, "lanes": 16}]
    switch = part("carrier", kind="switch", switched=True, host="slimsas", seats=seats)
    build = with_line(build, part("gpu"), 2, (SlotNumber.on_carrier(1, 1), SlotNumber.on_carrier(1, 4)))
    return build.with_lines((*build.lines, Line(switch, hosts=((1,),))))


def on_two_ports(*roots: str | None) -> Change:
    """A card on an adapter of one seat whose plug takes two MCIO ports, wired to these root complexes."""
    row = {"kind": "mcio", "lanes": 8, "generation": 4, "attachment": "cpu"}
    ports = [{**row, "label": f"MCIO{at}", "root": root} for at, root in enumerate(roots)]

    def apply(build: Build) -> Build:
        adapter = part("carrier", kind="adapter", host="mcio", seats=[{"number": 1, "lanes": 16}])
        build = with_line(build, part("gpu"), 1, (SlotNumber.on_carrier(1, 1),))
        return build.with_lines((*build.lines, Line(adapter, hosts=(("MCIO0", "MCIO1"),))))

    return both(figures("motherboard", host_ports=ports), apply)


def on_unlike_risers(*slots: int) -> Change:
    """Two cards on a long and a short riser, in short slots: the first card of the line gets the long one."""

    def apply(build: Build) -> Build:
        lines = tuple(
            replace(line, quantity=2, slots=slots, risers=slots) if line.part.id == "gpu" else line
            for line in build.lines
        )
        long, short = part("riser", suffix="-long", lanes=16), part("riser", suffix="-short", lanes=8)
        return with_line(with_line(build.with_lines(lines), long), short)

    return both(board_slots(1, 3, 5, 7, mechanical_lanes=8, lanes=8), apply)


AM5 = figures("motherboard", socket="AM5")
TWO_CHIPS = {"chips": 2, "needs_bifurcation": True}
SERVER_CARDS = figures("gpu", cooling="passive")
MESH = [{"kind": "mesh", "products": ["Test 300"]}]
"""NVLink that a machine brings."""

F, W, U, N, P = Status.FAIL, Status.WARN, Status.UNKNOWN, Status.NOTE, Status.PASS

LINKED = {"nvlink_links": 12, "nvlink_generation": 3, "nvlink_gbps": 600}
LINKS = figures("gpu", **LINKED)
TWO_CPUS = figures("motherboard", slots=[slot(1), slot(3), slot(5, cpu=1), slot(7, cpu=1)])
ROOTS = figures(
    "motherboard", slots=[slot(position, root=root) for position, root in ((1, "00"), (3, "40"), (5, "00"), (7, "40"))]
)
X8_SLOTS = board_slots(1, 3, 5, 7, mechanical_lanes=8, lanes=8)
DARK = figures("cpu", integrated_graphics=False)
ONLY_OUTLET = figures("motherboard", bmc=False, video_output=True)
SPLIT = [slot(position, bifurcation=["x8/x8"]) for position in range(1, 8)]
ASSUMED = figures("motherboard", places_assumed=True)
"""A board whose source lists the slots, not how far they stand apart."""
IN_ORDER = figures("motherboard", places_assumed=True, slots=[slot(position) for position in range(1, 5)])
NOT_SPLIT = [slot(position, bifurcation=["x16"]) for position in range(1, 8)]
SLOW_SLOT = both(placing(1, 3), figures("motherboard", slots=[slot(1), slot(3), slot(8, lanes=4)]))
NETWORK = {"pcie_lanes": 16, "pcie_generation": 3, "ports": 2, "port_gbit": 100}
REDRIVEN = {"kind": "redriver", "generation": 5, "length_mm": 900}
MANY_PRODUCTS = adding("nvlink_bridge", fits_products=["Test 300", "Sold Elsewhere"])
MAKERS = both(figures("motherboard", form_factor="proprietary"), figures("case", kind="system"))
SHARING = both(placing(1, 3), on_risers(1), adding("gpu", 1, (1,)), second_on_riser)


def spare(category: str) -> Change:
    """The good machine's cards of a category wait until another fails."""

    def apply(build: Build) -> Build:
        lines = (replace(one, role=Role.SPARE) if one.part.category == category else one for one in build.lines)
        return build.with_lines(tuple(lines))

    return apply


NO_4G = figures("motherboard", above_4g=False)
TESLA_M40 = placing(1, bar1="whole_memory")
IVY_BRIDGE = figures("motherboard", socket="LGA1155")
X99 = figures("motherboard", socket="LGA2011-3")
SKYLAKE = figures("motherboard", socket="LGA1151")
MMIO_32 = figures("motherboard", socket="LGA2011", mmio_gb=32)


def ram_of(gb: float) -> Change:
    return both(count("ram", 1), figures("ram", module_gb=gb))


CASES: list[tuple[str, Change, Status, str]] = [
    ("nvlink-bridge", both(LINKS, adding("nvlink_bridge", 3, bandwidth_gbps=200)), P, "3 per pair"),
    ("nvlink-bridge", both(LINKS, adding("nvlink_bridge", 4, bandwidth_gbps=200)), W, "takes 3"),
    ("nvlink-generation", both(LINKS, adding("nvlink_bridge", generation=3)), P, "matches the NVLink generation"),
    ("nvlink-generation", both(LINKS, adding("nvlink_bridge", generation=2)), F, "made for NVLink 2"),
    ("nvlink-generation", both(figures("gpu", nvlink_links=0), adding("nvlink_bridge")), F, "has no NVLink"),
    ("nvlink-generation", both(LINKS, adding("nvlink_bridge")), U, "generation of"),
    ("nvlink-generation", both(figures("gpu", nvlink_links=None), adding("nvlink_bridge")), U, "NVLink links"),
    ("pcie-link", on_risers(1, lanes=8), N, "the riser (Test RISER) supports no more"),
    ("pcie-link", placing(1, cooling="blower"), P, "Gen4 x16"),
    ("pcie-link", both(SLOW_SLOT, adding("nic", 1, (8,), **NETWORK)), W, "3.9 GB/s each way, 25 % of Gen3 x16"),
    ("pcie-link", both(SLOW_SLOT, adding("nic", 1, (8,), **NETWORK | {"port_gbit": None})), N,
     "less than its ports carry is not known"),
    ("pcie-link", both(SLOW_SLOT, adding("nic", 1, (8,), **NETWORK)), W, "carry 25.0 GB/s each way: 16 % of it passes"),
    ("slot-mechanical", on_unlike_risers(1, 3), F, "does not go into slot 1 of"),
    ("slot-mechanical", on_unlike_risers(3, 1), F, "does not go into slot 3 of"),
    ("slot-placed", lambda b: with_line(b, part("gpu"), 4, (1, 9)), F, "slot 9"),
    ("slot-placed", placing(form="sxm"), F, "is a module, not a card, and Test MOTHERBOARD (ATX) has no socket for it"),
    ("slot-placed", both(placing(form="sxm"), figures("motherboard", form_factor="proprietary")), N, "its own board"),
    ("slot-placed", both(placing(form="sxm"), MAKERS), P, "maker of Test CASE"),
    ("slot-placed", both(placing(form="sxm"), figures("motherboard", form_factor=None)), U, "form factor"),
    ("slot-placed", lambda b: with_line(b, part("gpu"), 4, (1, 3)), W, "There is room for them."),
    ("slot-placed", lambda b: with_line(b, part("gpu"), 4, (1, 3, 5)), W, "There is room for it."),
    ("board-headers", placing(1, 9), P, "free for plugs"),
    ("pcie-p2p", board_slots(1, 3, 5, 7, cpu=1), N, "Fewer than two GPUs sit"),
    ("nvlink-bridge", both(placing(1, 4), MANY_PRODUCTS), F, "but 0 pairs of Test 300 sit 2 slots apart"),
    ("nvlink-bridge", both(placing(1, 4, **LINKED), on_risers(4), MANY_PRODUCTS), N, "a pair is on risers"),
    ("pcie-p2p", figures("gpu", p2p=True), P, "are NODE? (one or two PCIe host bridges of one CPU), 31.5 GB/s"),
    ("pcie-p2p", both(ROOTS, figures("gpu", p2p=True)), P, "4 of 6 pairs are wired to two root complexes: up to 5 %"),
    ("pcie-p2p", both(ROOTS, placing(1, 3), figures("gpu", p2p=False)), N, "40 % slower. On one root complex: slots 1"),
    ("pcie-p2p", both(ROOTS, placing(1, 5), figures("gpu", p2p=True)), P, "are PHB (the CPU's PCIe host bridge), 31.5"),
    ("pcie-p2p", figures("gpu"), N, "plan without it"),
    ("pcie-p2p", both(LINKS, placing(1, 3, **LINKED), adding("nvlink_bridge", 3, bandwidth_gbps=200)), P, "over it"),
    ("pcie-p2p", both(LINKS, adding("nvlink_bridge", 6, bandwidth_gbps=200)), N, "pairs without NVLink direct"),
    ("pcie-p2p", both(placing(1, 3, 5, 7, **LINKED, p2p=False), adding("nvlink_bridge", 3, bandwidth_gbps=200)), N,
     "except for pairs joined by NVLink"),
    ("pcie-p2p", figures("motherboard", slots=None), N, "slots are unknown"),
    ("pcie-p2p", both(placing(1), count("gpu", 2)), N, "Fewer than two GPUs sit"),
    ("pcie-p2p", figures("gpu", p2p=False), N, "no direct access"),
    ("pcie-p2p", figures("gpu", product="GeForce RTX 4090"), N, "GeForce RTX 4090 no direct access"),
    ("pcie-p2p", figures("gpu", product="GeForce RTX 3090"), N, "GeForce RTX 3090 no direct access"),
    ("pcie-p2p", figures("gpu", product="GeForce RTX 2080 Ti"), N, "no direct access"),
    ("pcie-p2p", figures("gpu", product="RTX A6000"), P, "grants direct access"),
    ("pcie-p2p", figures("gpu", product="GeForce GTX 1080 Ti"), P, "grants direct access"),
    ("pcie-p2p", figures("gpu", product="Radeon RX 7900 XTX"), N, "not known"),
    ("pcie-p2p", figures("motherboard", nvlink_fabrics=MESH), P, "Pairs of GPUs are NVLink"),
    ("pcie-sys", figures("gpu"), P, "One CPU"),
    ("pcie-sys", both(count("cpu", 2), board_slots(1, 3, 5, 7)), P, "No two GPUs"),
    ("pcie-sys", both(count("cpu", 2), TWO_CPUS), W, "4 of 6 pairs of GPUs reach each other only"),
    ("pcie-sys", both(count("cpu", 2), board_slots(1, 3, 5, 7, attachment=None)), U, "slots of"),
    ("bar-space", both(placing(1, 3), figures("motherboard")), P, "2 x 32 GB"),
    ("bar-space", both(placing(1, 3), adding("gpu", 1, (5,))), P, "need 3 x 32 GB"),
    ("bar-space", figures("gpu", memory_gb=80), P, "4 x 128 GB"),
    ("bar-space", figures("gpu", bar1_gb=256), P, "4 x 256 GB"),
    ("bar-space", figures("gpu", bar1="small"), P, "4 x 0.25 GB"),
    ("bar-space", figures("gpu", memory_gb=None), U, "memory of Test GPU"),
    ("bar-space", both(placing(1, bar1="whole_memory"), figures("motherboard", above_4g=None)), U, "Above 4G Decoding"),
    ("bar-space", both(placing(1, bar1="whole_memory"), figures("motherboard", above_4g=None, socket="LGA2011")), W,
     "Above 4G Decoding"),
    ("bar-space", placing(1, bar1="resizable"), P, "One GPU"),
    ("bar-space", both(placing(1, bar1="whole_memory", memory_gb=40), NO_4G), F, "1 x 64 GB of BAR1 cannot lie below"),
    ("bar-space", both(placing(1, bar1="whole_memory"), NO_4G), F, "code 12"),
    ("bar-space", both(placing(1, bar1="whole_or_small", memory_gb=48), NO_4G), W, "display modes"),
    ("bar-space", both(placing(1), NO_4G), U, "BAR1 size"),
    ("bar-space", both(placing(1, 3, bar1="resizable"), NO_4G), N, "256 MB"),
    ("bar-space", both(TESLA_M40, IVY_BRIDGE, ram_of(8)), P, "1 x 32 GB"),
    ("bar-space", both(TESLA_M40, IVY_BRIDGE, ram_of(16)), W, "48 GB are there"),
    ("bar-space", both(TESLA_M40, IVY_BRIDGE, ram_of(32)), F, "32 GB are RAM"),
    ("bar-space", both(TESLA_M40, SKYLAKE), P, "1 x 32 GB"),
    ("bar-space", both(placing(1, 3, bar1="whole_memory"), SKYLAKE), W, "64 GB"),
    ("bar-space", both(placing(1, 3, bar1="resizable"), SKYLAKE), N, "64 GB"),
    ("bar-space", both(placing(1, 2, 3, 5, 7, bar1="whole_memory"), X99), W, "128"),
    ("bar-space", both(TESLA_M40, figures("motherboard", socket="LGA2011")), U, "64-bit address window"),
    ("bar-space", both(TESLA_M40, MMIO_32), W, "hands out 32 GB"),
    ("bar-space", both(figures("gpu", memory_gb=48, bar1="resizable"), AM5), W, "a sixth did not"),
    ("bar-space", figures("motherboard", above_4g=False), W, "has no Above 4G Decoding"),
    ("bar-space", figures("motherboard", above_4g=None), U, "Above 4G Decoding"),
    ("bar-space", both(placing(1, 3), figures("motherboard", above_4g=None)), N, "is unknown"),
    ("bar-space", both(figures("gpu", bar1="small"), figures("motherboard", above_4g=None, socket="LGA1366")), W,
     "many boards of its age do not"),
    ("bar-space", figures("motherboard", resizable_bar=False), P, "no Resizable BAR"),
    ("bar-space", both(placing(1, 3), figures("motherboard", socket="LGA1151")), U, "BAR1 size"),
    ("bar-space", both(placing(1), figures("motherboard", socket="LGA1151")), P, "1 x 32 GB"),
    ("riser-count", on_risers(1), P, "1 card sits on a riser, the build has 1"),
    ("riser-count", both(on_risers(1, 3), count("riser", 1)), W, "2 cards sit on risers, the build has 1"),
    ("riser-count", adding("riser"), N, "1 riser holds no card yet"),
    ("riser-lanes", on_risers(1), P, "16 of its 16 lanes"),
    ("riser-lanes", on_risers(1, lanes=8), N, "narrows"),
    ("riser-lanes", on_risers(1, lanes=1, generation=2), F, "0.5 GB/s each way: it starves"),
    ("riser-lanes", both(spare("gpu"), on_risers(1, lanes=1, generation=2)), N, "narrows"),
    ("riser-lanes", on_risers(1, lanes=None), U, "lanes of Test RISER"),
    ("riser-generation", on_risers(1), P, "made for Gen4"),
    ("riser-generation", on_risers(1, generation=3), W, "Set the slot to Gen3"),
    ("riser-generation", on_risers(1, generation=None), U, "generation of Test RISER"),
    ("riser-length", on_risers(1), P, "150 mm"),
    ("riser-length", on_risers(1, length_mm=170), P, "its maker rates it"),
    ("riser-length", on_risers(1, length_mm=200), W, "failed with RTX 4090 cards"),
    ("riser-length", both(on_risers(1, length_mm=200), set_to(3, 1, 3, 5, 7)), P, "at Gen3"),
    ("riser-length", on_risers(1, length_mm=300), W, "Set the slot to Gen3"),
    ("riser-generation", both(on_risers(1, generation=3), set_to(3, 1, 3, 5, 7)), P, "the link needs Gen3"),
    ("pcie-link", set_to(3, 1, 3, 5, 7), N, "slot 1 is set to Gen3"),
    ("pcie-link", both(board_slots(1, 3, 5, 7, lanes=4), set_to(3, 1, 3, 5, 7)), W, "slot 1 is x4 and set to Gen3"),
    ("riser-length", on_risers(1, length_mm=400), W, "beyond about 150 mm"),
    ("riser-length", on_risers(1, length_mm=900), W, "have failed"),
    ("riser-length", on_risers(1, length_mm=350, generation=3), N, "beyond about 300 mm"),
    ("riser-length", on_risers(1, length_mm=900, kind="redriver"), P, "a redriver riser"),
    ("riser-length", both(board_slots(1, generation=5), placing(1, pcie_generation=5), on_risers(1, **REDRIVEN)), N,
     "Gen5 over a redriver riser; cables that long need a retimer"),
    ("riser-length", on_risers(1, length_mm=None), U, "length of Test RISER"),
    ("riser-power", on_risers(1), P, "passes on the power"),
    ("riser-power", on_risers(1, powered=True), N, "never from SATA"),
    ("riser-power", on_risers(1, powered=True, power_inputs=[{"kind": "sata", "count": 1}]), F, "54 < 75 W"),
    ("riser-power", both(on_risers(1, powered=True), drive_adapter("sata")), F, "burnt"),
    ("riser-power", both(on_risers(1, powered=True), drive_adapter("molex")), W, "78 W"),
    ("riser-power", on_risers(1, powered=None), U, "powered of Test RISER"),
    ("bifurcation", figures("gpu"), P, "No two cards"),
    ("bifurcation", both(figures("motherboard", slots=SPLIT), SHARING), N, "split into x8 links"),
    ("bifurcation", both(figures("motherboard", slots=NOT_SPLIT), SHARING), F, "the board offers x16"),
    ("bifurcation", SHARING, U, "slots of"),
    ("bifurcation", both(board_slots(3, 5, 7), SHARING), U, "slots of"),
    ("chip-bifurcation", figures("gpu"), P, "No card with several chips"),
    ("chip-bifurcation", both(board_slots(1, lanes=8), placing(1, **TWO_CHIPS)), F, "the last chip has no link"),
    ("chip-bifurcation", figures("gpu", **TWO_CHIPS), U, "slots of"),
    ("gpu-count-shape", placing(1, 3, 5, chips=2), N, "6 GPUs are not a power of two"),
    ("pcie-link", SHARING, N, "several cards share slot 1"),
    ("slot-overlap", SHARING, P, "needs no room"),
    ("slot-overlap", both(placing(1, 3), on_risers(1), adding("gpu", 1, (1,))), F, "on a riser, but Test GPU-2"),
    ("slot-overlap", on_module_carrier(SXM2), P, "each in a socket of its own"),
    ("slot-overlap", both(on_module_carrier(SXM2), second_module), F, "sits in the socket of Test GPU-2 in slot C1/1"),
    ("slot-mechanical", both(board_slots(1, 3, 5, 7, mechanical_lanes=8, lanes=8), on_risers(1, lanes=8)), F, "closed"),
    ("slot-mechanical", both(placing(1), board_slots(1, mechanical_lanes=1, lanes=1), on_risers(1, lanes=1)), P, "go"),
    ("case-openings", both(figures("case", expansion_slots=7), placing(7), on_risers(7)), P, "no opening"),
    ("carrier-host", on_carrier(3, "C1/1"), P, "plugs into slot 1"),
    ("carrier-host", on_carrier(1, "C1/1"), F, "covers that slot"),
    ("carrier-host", on_carrier(3, "C1/1", host=12), F, "has no slot 12"),
    ("carrier-host", both(X8_SLOTS, on_carrier(3, "C1/1")), F, "slot 1 is x8 long and closed at the end"),
    ("carrier-host", on_carrier(3, "C1/1", host=SlotNumber.on_carrier(2, 1)), F, "in the order of part ids, C1 Test"),
    ("carrier-host", on_carrier(3, "C1/1", host="M2_1", host_lanes=4), F, "has no M2_1"),
    ("carrier-host", on_carrier(3, "C1/1", host=None), U, "slots of"),
    ("carrier-host", on_slimsas_switch, N, "needs a host card"),
    ("carrier-host", on_two_ports("G0", "G0"), P, "plugs into MCIO0 and MCIO1"),
    ("carrier-host", on_two_ports("G0", None), P, "plugs into MCIO0 and MCIO1"),
    ("carrier-host", on_two_ports("G0", "G3"), F, "two root complexes do not make one link"),
    ("switch-uplink", on_slimsas_switch, P, "share 31.5 GB/s to the CPU"),
    ("carrier-split", both(figures("motherboard", slots=SPLIT), on_carrier(3, "C1/1", "C1/3")), N, "set the split"),
    ("carrier-split", both(figures("motherboard", slots=NOT_SPLIT), on_carrier(3, "C1/1", "C1/3")), F, "offers x16"),
    ("carrier-split", on_carrier(3, "C1/1", "C1/3"), U, "slots of"),
    ("carrier-split", on_carrier(3, "C1/1"), P, "No carrier makes several links"),
    ("carrier-power", on_carrier(3, "C1/1"), P, "plugs of its own"),
    ("carrier-power", on_carrier(3, "C1/1", "C1/3", powered=False), W, "its 2 cards may draw 150 W"),
    ("carrier-power", on_carrier(3, "C1/1", powered=None), U, "powered of"),
    ("carrier-power", in_box(), P, "from its own PSU"),
    ("carrier-power", on_module_carrier(SXM2, power_inputs=TWO_8_PIN), P, "takes 375 W through its inputs"),
    ("carrier-power", on_module_carrier(SXM2, power_inputs=[]), W, "takes 75 W through its inputs"),
    ("carrier-power", on_module_carrier(SXM2), U, "power inputs"),
    ("carrier-power", on_module_carrier(SXM2, powered=False), W, "its card may draw 300 W"),
    ("seat-form", on_carrier(3, "C1/1"), P, "goes into slot C1/1"),
    ("seat-form", network_card_on_carrier, P, "goes into slot C1/1"),
    ("carrier-signal", both(network_card_on_carrier, figures("carrier", host="thunderbolt")), P, "packets of its own"),
    ("seat-form", on_module_carrier(SXM2), P, "made for SXM2"),
    ("seat-form", on_module_carrier(SXM2, socket="sxm4"), F, "made for SXM4"),
    ("seat-form", on_module_carrier(SXM2, socket=None), U, "module socket"),
    ("seat-form", on_module_carrier({**SXM2, "socket": None}), U, "seats of"),
    ("seat-form", on_module_carrier({"number": 1, "lanes": 16}), F, "takes cards"),
    ("seat-form", on_carrier(3, "C1/1", seats=[SXM2]), F, "is a card with a PCIe connector"),
    ("slot-placed", on_module_carrier(SXM2), P, "every card has a slot"),
    ("slot-overlap", on_module_carrier(SXM2), P, "each in a socket of its own"),
    ("slot-overlap", ASSUMED, U, "slots of"),
    ("slot-overlap", both(IN_ORDER, placing(1, 2, 3, 4)), U, "slots of"),
    ("slot-overlap", both(ASSUMED, placing(3)), P, "overlaps no card"),
    ("slot-overlap", both(ASSUMED, figures("gpu", width_slots=1)), P, "overlap no card"),
    ("slot-placed", both(IN_ORDER, count("gpu", 4), placing()), W, "There is room"),
    ("case-openings", ASSUMED, U, "slots of"),
    ("card-gap", both(ASSUMED, figures("gpu", cooling="open_air")), U, "slots of"),
    ("card-gap", ASSUMED, P, "may sit next to another card"),
    ("pcie-link", ASSUMED, P, ""),
    ("slot-heat", ASSUMED, U, "slots of"),
    ("board-headers", ASSUMED, U, "slots of"),
    ("nvlink-bridge", both(ASSUMED, adding("nvlink_bridge", 2)), U, "slots of"),
    ("box-psu", figures("gpu"), P, "No card sits in an external box"),
    ("box-psu", in_box(), P, "unthrottled training 45 %, worst case 46 %"),
    ("box-psu", in_box(limit_w=550), W, "training 82 %"),
    ("box-psu", in_box(limit_w=505), W, "allows a card 500 W; this one may draw 505 W"),
    ("box-psu", in_box(limit_w=800), F, "worst case 123 %"),
    ("box-psu", in_box(psu_w=None), U, "PSU of its own"),
    ("box-psu", in_box(psu_w=None, psu_included=False), P, "No card sits in an external box"),
    ("box-room", in_box(), P, "267 mm long of 330 mm; 2 slots wide of 3"),
    ("box-room", in_box(card_max_length_mm=200), F, "too long"),
    ("box-room", in_box(card_max_slots=1), F, "too wide"),
    ("box-room", in_box(card_max_length_mm=None), P, "2 slots wide"),
    ("box-room", in_box(card_max_length_mm=None, card_max_slots=None), U, "room for card length"),
    ("card-length", both(figures("case", gpu_max_length_mm=200), on_carrier("C1/1", **BOX)), P, "No card whose length"),
    ("gpu-cables", both(figures("gpu", power_connectors=None), on_carrier("C1/1", **BOX)), P, ""),
    ("card-gap", both(on_carrier(7, "C1/1", **BOX), figures("gpu", cooling="open_air")), P, "no card below it"),
    ("card-mass", both(on_carrier(1, "C1/1", **BOX), figures("gpu", mass_g=2000)), W, "weighs 2.0 kg: brace"),
    ("circuit-share", in_box(), P, "PSU 1 and box C1 on one circuit"),
    ("carrier-signal", both(in_box(), figures("carrier", host="thunderbolt", cable_mm=2000)), P, "packets of its own"),
    ("carrier-signal", both(in_box(), figures("carrier", host="thunderbolt"), figures("gpu", architecture="Blackwell")),
     W, "at the first CUDA allocation"),
    ("carrier-signal", on_carrier(3, "C1/1"), P, "100 mm of passive cable"),
    ("carrier-signal", on_carrier(3, "C1/1", cable_mm=300), W, "set the slot to Gen3"),
    ("carrier-signal", on_carrier(3, "C1/1", signal="retimer"), P, "carries Gen4"),
    ("carrier-signal", on_carrier(3, "C1/1", cable_mm=None), U, "cable length"),
    ("slot-overlap", on_carrier("C1/1", 3), P, "overlaps no card"),
    ("slot-heat", both(on_module_carrier(SXM2, SXM2 | {"number": 3}, modules=2), HOT_MODULE), P, "No two hot cards"),
    ("case-openings", on_carrier("C1/1"), P, "away from the board"),
    ("pcie-link", on_carrier(3, "C1/1"), N, "C1/1"),
    ("chip-bifurcation", both(figures("motherboard", slots=SPLIT), figures("gpu", **TWO_CHIPS)), P, "offers x8/x8"),
    ("chip-bifurcation", both(figures("motherboard", slots=NOT_SPLIT), figures("gpu", **TWO_CHIPS)), F, "offers x16"),
    ("chip-bifurcation", figures("gpu", chips=2, needs_bifurcation=False), P, "a switch on the card"),
    ("chip-bifurcation", figures("gpu", chips=2, needs_bifurcation=None), U, "bifurcation"),
    ("gpu-count-shape", figures("gpu"), P, "power of two"),
    ("gpu-count-shape", placing(1, 3, 5), N, "3 GPUs are not a power of two"),
    ("gpu-count-shape", both(placing(1, 3), adding("gpu", 1, (5,), product="Big")), P, "3 mixed GPUs"),
    ("gpu-mixed", figures("gpu"), P, "All GPUs are"),
    ("gpu-mixed", both(placing(1, 3), adding("gpu", 2, (5, 7), product="Big", memory_gb=48)), N, "smallest (24 GB)"),
    ("display-output", figures("motherboard"), P, "A GPU can drive the display"),
    ("display-output", SERVER_CARDS, P, "management controller"),
    ("display-output", both(ONLY_OUTLET, SERVER_CARDS, figures("cpu", integrated_graphics=True)), P, "CPU's graphics"),
    ("display-output", both(ONLY_OUTLET, DARK, figures("gpu", cooling="passive")), W, "No display output"),
    ("display-output", both(ONLY_OUTLET, SERVER_CARDS, figures("cpu", integrated_graphics=None)), U, "integrated"),
    ("display-output", both(SERVER_CARDS, figures("motherboard", bmc=None, video_output=None)), U, "video output"),
]  # fmt: skip
