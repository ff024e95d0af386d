"""Verdicts on case, cards, coolers, radiators, drives and weight: one change each to the good machine."""

from typing import Any

from core.plan.line import Line
from core.rules.finding import Status
from tests.rules.changes import Change, adding, both, count, figures, in_socket, on_riser, placing
from tests.rules.machines import part, slot

ENDLESS = {"psu_mounts": [{"form_factor": "ATX"}]}
"""A mount whose length the case's maker does not state."""

F, W, U, N, P = Status.FAIL, Status.WARN, Status.UNKNOWN, Status.NOTE, Status.PASS
FRONT = [{"place": "front", "length_mm": 360, "fan_size_mm": 120}]
SIDES = [
    {"place": "front", "length_mm": 360, "fan_size_mm": 120},
    {"place": "front", "length_mm": 280, "fan_size_mm": 140},
    {"place": "top", "length_mm": 280, "fan_size_mm": 140},
    {"place": "top", "length_mm": 240, "fan_size_mm": 120, "max_thickness_mm": 40},
    {"place": "rear", "length_mm": 120, "fan_size_mm": 120},
]
TOP = {"place": "top", "length_mm": 360, "fan_size_mm": 120}
SMALL = {"length_mm": 120, "fan_size_mm": 120, "fan_positions": 1, "thickness_mm": 30}
MIDDLE = {"length_mm": 240, "fan_size_mm": 120, "fan_positions": 2}
HYBRID = {"cooling": "hybrid", "radiator_mm": 240}
OPEN: dict[str, Any] = {"kind": "open_frame", "gpu_max_length_mm": None}
EEB = {"form_factor": "E-ATX", "width_mm": 330}
WET: dict[str, Any] = {"cooling": "water_block"}
SATA = {"kind": "sata_ssd", "form_factor": "2.5 in"}
DISK = {"kind": "hdd", "form_factor": "3.5 in"}
FOUR_SLOTS = [slot(place) for place in (1, 3, 5, 7)]
BEHIND = [{"label": "M2_1", "lanes": 4, "generation": 4, "attachment": "chipset"}]
LONG = figures("gpu", length_mm=321)
TWO = [{"label": f"M2_{number}", "lanes": 4, "generation": number + 3, "attachment": "cpu"} for number in (1, 2)]
ONE_EACH = [{"label": "U.2", "lanes": 4, "generation": 4, "attachment": "cpu"}, *BEHIND]
BAY_NVME = {"kind": "nvme", "form_factor": "U.2"}
SHARED = [{"filled": ["M2_1"], "widths": {"S3": 8}}]


def second_drive_in(label: str) -> Change:
    """Another drive, in this socket."""
    return lambda build: build.with_lines((*build.lines, Line(part("storage", suffix="-2"), sockets=(label,))))


CASES: list[tuple[str, Change, Status, str]] = [
    (
        "case-board",
        both(
            figures("motherboard", **EEB), figures("case", form_factors=["E-ATX", "SSI-EEB"], board_max_width_mm=None)
        ),
        P,
        "room for 330 mm",
    ),
    ("case-board", figures("motherboard", form_factor="SSI-CEB"), W, "standoffs"),
    ("psu-mounts", figures("psu", length_mm=None), U, "length of Test PSU"),
    ("psu-mounts", both(figures("case", **ENDLESS), figures("psu", length_mm=230)), N, "states no limit"),
    ("psu-mounts", figures("case", **ENDLESS), P, "1 PSU"),
    ("psu-mounts", both(figures("case", **ENDLESS, **OPEN), figures("psu", length_mm=230)), P, "no wall behind it"),
    ("psu-mounts", both(figures("psu", length_mm=170), figures("case", psu_mounts=[{"form_factor": "ATX"}])), P,
     "1 PSU"),
    ("psu-mounts", both(count("psu", 2), figures("case", **OPEN)), N, " sits outside"),
    ("cooler-socket", figures("cpu_cooler", sockets=["TR4"]), P, "its own screws fit"),
    ("cooler-socket", both(figures("cpu", socket="AM5"), figures("cpu_cooler", sockets=["AM4"])), W, "mounting kit"),
    ("card-front", figures("gpu"), P, "No radiator needs"),
    ("card-front", figures("gpu", length_mm=305), N, "leaves 15 mm in front"),
    ("card-front", adding("radiator"), N, "250 to 275 mm"),
    ("card-front", both(adding("radiator"), figures("gpu", length_mm=280)), W, "at most 275 mm"),
    ("card-front", both(adding("radiator"), figures("case", radiator_mounts=SIDES)), N, "250 to 275 mm"),
    ("card-front", both(adding("radiator", **MIDDLE, thickness_mm=30), figures("case", radiator_mounts=SIDES)), P,
     "No radiator"),
    ("card-front", both(adding("radiator"), figures("case", gpu_max_length_mm=330)), N, "260 to 285 mm"),
    ("card-front", both(adding("radiator"), figures("case", gpu_max_length_mm=350)), P, "at least 280 mm"),
    ("card-front", both(adding("radiator"), figures("case", gpu_max_length_front_radiator_mm=250)), W, "250 mm"),
    ("card-front", both(adding("radiator"), figures("case", gpu_max_length_front_radiator_mm=270)), P, "270 mm"),
    ("card-front", adding("radiator", thickness_mm=None), U, "thickness"),
    ("card-front", both(adding("radiator"), figures("case", radiator_mounts=None)), U, "radiator mounts"),
    ("card-height", both(figures("case", gpu_max_height_mm=None), figures("gpu", height_mm=140)), W,
     "as for CPU coolers, 170 mm"),
    ("card-height", figures("case", gpu_max_height_mm=None), P, "as for CPU coolers"),
    ("card-height", figures("case", gpu_max_height_mm=None, cpu_cooler_max_height_mm=None), U, "maximum card height"),
    ("card-height", figures("gpu", height_mm=None), U, "height of Test GPU"),
    ("card-length", figures("case", gpu_max_length_mm=None), U, "maximum card length"),
    ("card-length", figures("case", gpu_max_length_mm=None, kind="rack"), P, "no longer than a full-length card"),
    ("card-length", both(figures("case", gpu_max_length_mm=None, kind="rack"), figures("gpu", length_mm=313)), U,
     "maximum card length"),
    ("card-front", figures("case", gpu_max_length_mm=None, kind="rack"), P, "full-length cards"),
    (
        "card-height",
        both(
            figures("case", gpu_max_height_mm=None, cpu_cooler_max_height_mm=None, kind="rack"),
            figures("gpu", height_mm=111),
        ),
        P,
        "no higher than a full-height card",
    ),
    ("board-headers", placing(1, 3, 5), P, "free for plugs"),
    ("board-headers", placing(7), P, "lower edge"),
    ("board-headers", both(placing(1), adding("storage", **SATA)), N, "SATA ports"),
    ("board-headers", figures("motherboard", form_factor=None), U, "form factor"),
    ("cooler-neighbours", figures("ram", height_mm=44), U, "maximum RAM height"),
    ("cooler-neighbours", both(figures("ram", height_mm=44), figures("cpu_cooler", ram_max_height_mm=40)), W,
     "44 mm high"),
    ("cooler-neighbours", figures("ram", height_mm=None), U, "height of Test RAM"),
    ("cooler-neighbours", figures("cpu_cooler", fan_size_mm=140), N, "slot 1"),
    ("cooler-neighbours", both(figures("cpu_cooler", fan_size_mm=140), on_riser(1, 3, 5, 7)), P, "fits under"),
    (
        "radiator-mounts",
        both(
            figures("case", radiator_mounts=SIDES),
            adding("radiator"),
            adding("cpu_cooler", kind="aio", radiator_mm=280, fan_size_mm=140),
        ),
        P,
        "2 radiators fit in",
    ),
    ("radiator-mounts", both(figures("case", radiator_mounts=SIDES), adding("radiator", 2)), W, "no mount left"),
    ("radiator-mounts", both(figures("case", radiator_mounts=SIDES), adding("radiator", 3, **SMALL)), P,
     "front, rear, top"),
    ("radiator-mounts", both(figures("case", radiator_mounts=SIDES), adding("radiator", 2, **MIDDLE, thickness_mm=45)),
     W, "no mount left"),
    (
        "radiator-mounts",
        both(figures("case", radiator_mounts=SIDES), adding("radiator", 2, **MIDDLE, thickness_mm=None)),
        U,
        "thickness",
    ),
    ("radiator-mounts", both(figures("case", **OPEN, radiator_mounts=[]), adding("radiator")), N, "sits outside"),
    ("radiator-capacity", both(figures("gpu", **WET), adding("radiator", 3, fan_positions=9)), P, "1200 W"),
    ("radiator-capacity", both(figures("gpu", **WET), adding("radiator", 2)), N, "fast fans"),
    ("radiator-capacity", both(figures("gpu", **WET), adding("radiator")), W, "20 K is a usual limit"),
    ("radiator-capacity", both(figures("gpu", **WET, power_limit_w=900), adding("radiator", fan_positions=3)), F,
     "43 K warmer than the air"),
    ("radiator-capacity", both(figures("gpu", **WET, power_limit_w=800), adding("radiator", fan_positions=3)), W, "20"),
    ("radiator-mounts", both(figures("case", radiator_mounts=[TOP]), adding("radiator")), N, "70 mm thick"),
    ("radiator-capacity", figures("gpu", **WET), W, "No radiator"),
    ("radiator-capacity", both(figures("gpu", **WET), figures("case", kind="system")), P, "maker"),
    ("radiator-capacity", both(figures("gpu", **WET, power_limit_w=None), adding("radiator")), U, "power limit"),
    ("loop-pump", figures("gpu", **WET), F, "neither a pump nor a radiator"),
    ("loop-pump", both(figures("gpu", **WET), adding("radiator")), W, "no pump"),
    ("loop-pump", both(figures("gpu", **WET), adding("pump")), N, "One pump"),
    ("loop-pump", both(figures("gpu", **WET), adding("pump", 2)), P, "2 pumps"),
    ("card-mass", figures("gpu", mass_g=2200), W, "2.2 kg and 4 of them pull with 11.5 Nm"),
    ("card-mass", figures("gpu", mass_g=1200), P, "a brace keeps it level"),
    ("card-mass", figures("gpu", mass_g=900), P, "0.9 kg"),
    ("card-mass", figures("gpu", length_mm=320, width_slots=3), N, "by its size"),
    ("card-mass", figures("gpu", length_mm=None), U, "length and mass of Test GPU"),
    ("transport", on_riser(1, 3), N, "2 cards stand away from the board"),
    ("transport", figures("case", **OPEN), P, "is open"),
    ("card-length", both(LONG, adding("water_block", 4, length_mm=240)), P, "240 mm long with its water block"),
    ("card-length", both(LONG, adding("water_block", 3, length_mm=240)), F, "321 mm long"),
    ("card-length", both(LONG, adding("water_block", 4)), U, "length of Test WATER-BLOCK-2"),
    ("card-length", adding("water_block", 4), P, "267 mm long"),
    ("storage-sockets", count("storage", 2), W, "2 drives for M.2 or U.2"),
    ("storage-sockets", figures("storage", form_factor="M.2 22110"), N, "110 mm"),
    ("storage-sockets", adding("storage", 9, **SATA), W, "9 SATA drives"),
    ("storage-sockets", both(adding("storage", 5, **SATA), figures("motherboard", sata_ports=None)), U, "SATA ports"),
    ("storage-sockets", both(adding("storage", 4, **SATA), figures("motherboard", sata_ports=None)), P, "every drive"),
    ("storage-sockets", figures("motherboard", m2=None), U, "M.2 sockets"),
    ("storage-sockets", both(count("storage", 2), figures("motherboard", m2=ONE_EACH)), W, "2 M.2 drives"),
    ("storage-sockets", both(adding("storage", **BAY_NVME), figures("motherboard", m2=TWO)), W, "1 U.2 drive, but"),
    ("storage-sockets", both(adding("storage", **BAY_NVME), figures("motherboard", m2=ONE_EACH)), P, "every drive"),
    ("storage-lanes", figures("motherboard", m2=ONE_EACH), P, "M2_1 connects to the chipset"),
    ("storage-lanes", both(figures("motherboard", m2=TWO), figures("storage", pcie_generation=5), adding("storage")), P,
     "all lanes"),
    ("storage-bays", adding("storage", 1, **DISK), P, "1 drive of 3.5 in"),
    ("storage-bays", adding("storage", 3, **DISK), W, "3 drives of 3.5 in"),
    ("storage-bays", adding("storage", 4, **SATA), P, "4 of 2.5 in"),
    ("storage-bays", adding("storage", 5, **SATA), W, "5 of 2.5 in"),
    ("storage-bays", both(adding("storage", 2, **SATA), figures("case", bays_2_5=None)), P, "2 of 2.5 in"),
    ("storage-bays", both(adding("storage", 3, **SATA), figures("case", bays_2_5=None)), U, "2.5-inch bays"),
    ("storage-bays", both(adding("storage", **DISK), figures("case", bays_3_5=None)), U, "3.5-inch bays"),
    ("storage-bays", both(adding("storage", 9, **DISK), figures("case", **OPEN)), P, "drives fit"),
    ("storage-lanes", figures("storage", pcie_generation=5), P, "runs at Gen4 x4"),
    ("storage-lanes", figures("motherboard", m2=BEHIND), P, "M2_1 connects to the chipset and takes no lane"),
    ("storage-lanes", figures("motherboard", lane_cases=SHARED, m2=TWO), P, "all lanes, none taken"),
    ("storage-lanes", both(figures("motherboard", lane_cases=SHARED, m2=TWO), in_socket("M2_1")), N,
     "in M2_2 they would take none"),
    ("storage-sockets", both(figures("motherboard", m2=TWO), in_socket("M2_9")), W, "no M.2 socket of that name"),
    ("storage-sockets", both(figures("motherboard", m2=ONE_EACH), in_socket("U.2")), W, "it has M2_1"),
    ("storage-sockets", both(second_drive_in("M2_1"), in_socket("M2_1"), figures("motherboard", m2=TWO)), W,
     "Two drives are to sit in M2_1"),
    ("storage-sockets", both(adding("storage"), in_socket("M2_1"), figures("motherboard", m2=TWO)), P, "every drive"),
    ("storage-lanes", figures("motherboard", lane_cases=SHARED, m2=TWO[:1]), P, "no other socket of Test"),
    ("storage-lanes", both(placing(1), figures("motherboard", lane_cases=SHARED)), P, "all lanes"),
    ("storage-lanes", figures("storage", pcie_lanes=None), U, "PCIe lanes"),
    ("boot-drive", figures("storage", **DISK), N, "hard disks"),
    ("boot-drive", figures("storage", kind=None), U, "kind"),
    ("boot-drive", figures("motherboard", m2=[]), W, "adapter card in a free slot"),
    ("boot-drive", figures("motherboard", m2=[], slots=FOUR_SLOTS), F, "nothing to boot from"),
]  # fmt: skip
