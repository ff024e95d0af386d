"""Which fixes are tried for the findings of which rule, the cheapest kind of change first.

Another slot, then a power limit, then a circuit, cable or riser, then another part, then a card fewer.
"""

from __future__ import annotations

from core.advise.card_fixes import allowed_limit, arrange, fewer_cards, hang_on_riser, limit_power, off_risers
from core.advise.part_fixes import (
    Add,
    Maker,
    Swap,
    all_of,
    at_least,
    at_most,
    fewer,
    like_the,
    no_less,
    of_the_same,
    one_more,
)
from core.advise.site_fixes import another_circuit, one_more_circuit
from core.parts.query import Filter
from core.parts.vocabulary import Category

_SAME_CHIP = of_the_same("product")
_CPU_FOR_BOARD = like_the(Category.MOTHERBOARD, socket="socket")
_BOARD_FOR_CPU = like_the(Category.CPU, socket="socket")
_RAM_FOR_BOARD = like_the(Category.MOTHERBOARD, ram_type="ram_type", kind="ram_kinds")
_COOLER_FOR_CPU = like_the(Category.CPU, sockets="socket")

_cpu = Swap(Category.CPU, "cores", _CPU_FOR_BOARD)
_board = Swap(Category.MOTHERBOARD, "price", _BOARD_FOR_CPU)
_board_of_more_slots = Swap(Category.MOTHERBOARD, "x16_slots", _BOARD_FOR_CPU, descending=True)
_ram = Swap(Category.RAM, "total_gb", _RAM_FOR_BOARD)
_ram_as_large = Swap(Category.RAM, "total_gb", all_of(_RAM_FOR_BOARD, no_less("modules", "module_gb")))
_larger_modules = Swap(Category.RAM, "module_gb", all_of(_RAM_FOR_BOARD, no_less("module_gb")), descending=True)
_case_of_more_openings = Swap(Category.CASE, "expansion_slots", at_least("expansion_slots"))
_roomier_case = Swap(Category.CASE, "expansion_slots", no_less("expansion_slots"), descending=True)
_SAME_FORM = all_of(no_less("power_w"), of_the_same("form_factor"))
_psu = Swap(Category.PSU, "power_w", _SAME_FORM)
_psu_of_any_form = Swap(Category.PSU, "power_w", no_less("power_w"))
_psu_of_more_plugs = Swap(Category.PSU, "power_w", all_of(_SAME_FORM, at_least("graphics_plugs")))
_stronger_psu = Swap(Category.PSU, "power_w", all_of(of_the_same("form_factor"), at_least("power_w", 0.8)))
_blower = Swap(Category.GPU, "length_mm", _SAME_CHIP)
_narrower = Swap(Category.GPU, "width_slots", _SAME_CHIP)
_cooler = Swap(Category.CPU_COOLER, "height_mm", _COOLER_FOR_CPU)
_riser = Swap(Category.RISER, "generation", descending=True)
_ups = Swap(Category.UPS, "power_w", no_less("power_w"))

_PLUGS = (
    Add(Category.CABLE, limits=(Filter("source_kind", ("pcie_8pin", "eps_8pin")),)),
    _psu_of_more_plugs,
    one_more(Category.PSU),
    fewer_cards,
)
_CIRCUIT = (limit_power, another_circuit, one_more_circuit, fewer_cards)
_UPS = (limit_power, one_more(Category.UPS), _ups, fewer(Category.UPS))

FIXES: dict[str, tuple[Maker, ...]] = {
    # A processor and its board
    "cpu-socket": (_cpu, _board),
    "cpu-count": (fewer(Category.CPU), _board),
    "cpu-together": (fewer(Category.CPU), _cpu),
    "cpu-cores": (Swap(Category.CPU, "cores", all_of(_CPU_FOR_BOARD, at_least("cores"))), fewer_cards),
    "cpu-power": (_board, _cpu),
    # Memory
    "ram-type": (_ram_as_large, _ram, _board),
    "ram-kind": (_ram_as_large, _ram, _board),
    "ram-mixed": (fewer(Category.RAM), _ram),
    "ram-modules": (fewer(Category.RAM), _larger_modules, _board),
    "ram-capacity": (fewer(Category.RAM), _ram, _board),
    "ram-channels": (one_more(Category.RAM), fewer(Category.RAM), _ram),
    "ram-for-gpus": (one_more(Category.RAM), _larger_modules),
    "ram-2dpc": (_larger_modules, fewer(Category.RAM)),
    "ram-ecc": (Swap(Category.RAM, "total_gb", all_of(_RAM_FOR_BOARD, no_less("modules", "module_gb"))),),
    # Drives
    "storage-sockets": (fewer(Category.STORAGE), _board),
    "storage-bays": (fewer(Category.STORAGE), _roomier_case),
    "boot-drive": (Add(Category.STORAGE),),
    # Cards in slots
    "slot-placed": (arrange, hang_on_riser, _narrower, _board_of_more_slots, fewer_cards),
    "slot-overlap": (arrange, hang_on_riser, _narrower, _board_of_more_slots, fewer_cards),
    "slot-mechanical": (arrange, hang_on_riser, _board_of_more_slots, fewer_cards),
    "case-openings": (arrange, hang_on_riser, _case_of_more_openings, _narrower, fewer_cards),
    "pcie-link": (arrange, _board_of_more_slots, fewer_cards),
    "pcie-attachment": (arrange, one_more(Category.CPU), _board_of_more_slots, fewer_cards),
    "cpu-lanes": (arrange, _cpu, _board_of_more_slots, fewer_cards),
    "nvlink-bridge": (arrange, Swap(Category.NVLINK_BRIDGE), fewer(Category.NVLINK_BRIDGE)),
    "nvlink-generation": (Swap(Category.NVLINK_BRIDGE), fewer(Category.NVLINK_BRIDGE)),
    "pcie-sys": (arrange, fewer_cards),
    "bar-space": (_board, fewer_cards),
    "display-output": (_cpu, _board),
    "riser-count": (off_risers, Add(Category.RISER), one_more(Category.RISER)),
    "riser-lanes": (off_risers, _riser, arrange),
    "riser-generation": (off_risers, _riser, arrange),
    "riser-length": (off_risers, Swap(Category.RISER, "length_mm"), arrange),
    "riser-power": (off_risers, _riser, arrange),
    "bifurcation": (off_risers, arrange, _board, fewer_cards),
    "card-gap": (arrange, hang_on_riser, _blower, _board_of_more_slots, fewer_cards),
    "card-passive": (Swap(Category.CASE, "price"), _blower, fewer_cards),
    # The case
    "one-of-each": (fewer(Category.MOTHERBOARD), fewer(Category.CASE)),
    "case-board": (Swap(Category.CASE, "price", no_less("expansion_slots")), _board),
    "card-length": (
        Swap(Category.GPU, "length_mm", all_of(_SAME_CHIP, at_most("length_mm"))),
        Swap(Category.CASE, "gpu_max_length_mm", at_least("gpu_max_length_mm")),
        fewer_cards,
    ),
    "card-height": (
        Swap(Category.CASE, "gpu_max_height_mm", at_least("gpu_max_height_mm")),
        Swap(Category.GPU, "height_mm", _SAME_CHIP),
        fewer_cards,
    ),
    "cooler-height": (
        Swap(Category.CPU_COOLER, "height_mm", all_of(_COOLER_FOR_CPU, at_most("height_mm")), descending=True),
        Swap(Category.CASE, "cpu_cooler_max_height_mm", at_least("cpu_cooler_max_height_mm")),
    ),
    "card-front": (
        fewer(Category.RADIATOR),
        Swap(Category.GPU, "length_mm", _SAME_CHIP),
        Swap(Category.CASE, "gpu_max_length_mm", no_less("gpu_max_length_mm"), descending=True),
    ),
    "card-mass": (Swap(Category.GPU, "mass_g", all_of(_SAME_CHIP, at_most("mass_g"))),),
    "cooler-neighbours": (Swap(Category.RAM, "height_mm", _RAM_FOR_BOARD), _cooler),
    "psu-mounts": (_psu_of_any_form, _roomier_case, fewer(Category.PSU)),
    "radiator-mounts": (_roomier_case, fewer(Category.RADIATOR)),
    "cooler-socket": (_cooler,),
    "cooler-count": (one_more(Category.CPU_COOLER),),
    "cooler-power": (Swap(Category.CPU_COOLER, "rated_power_w", all_of(_COOLER_FOR_CPU, at_least("rated_power_w"))),),
    "water-block": (fewer(Category.WATER_BLOCK),),
    "radiator-capacity": (limit_power, one_more(Category.RADIATOR), Swap(Category.RADIATOR, "length_mm"), fewer_cards),
    "loop-pump": (one_more(Category.PUMP), Add(Category.PUMP)),
    # Air, heat and noise
    "airflow": (limit_power, one_more(Category.FAN), Add(Category.FAN), _roomier_case, fewer_cards),
    "air-balance": (one_more(Category.FAN), Add(Category.FAN), _roomier_case),
    "card-temperature": (arrange, limit_power, one_more(Category.FAN), _blower, fewer_cards),
    "noise-training": (limit_power, _blower, _cooler, fewer_cards),
    "noise-idle": (_cooler, _psu, fewer_cards),
    "heat-room": (limit_power, fewer_cards),
    # Power
    "psu-power": (limit_power, _stronger_psu, one_more(Category.PSU), fewer_cards),
    "psu-excursion": (limit_power, _psu, one_more(Category.PSU), fewer_cards),
    "psu-balance": (limit_power, _stronger_psu, one_more(Category.PSU), fewer_cards),
    "psu-sync": (Add(Category.CABLE, limits=(Filter("source_kind", ("atx_24pin",)),)), fewer(Category.PSU)),
    "psu-voltage": (another_circuit, _psu),
    "cpu-rail": (_psu, _cpu),
    "board-aux-power": (hang_on_riser, _board, fewer_cards),
    "gpu-cables": _PLUGS,
    "board-cables": _PLUGS,
    "cable-shared": _PLUGS,
    "eps-not-pcie": _PLUGS,
    "cable-length": (_psu, off_risers),
    "adapter-rating": (limit_power, fewer(Category.CABLE), *_PLUGS),
    "sense-coding": (limit_power, *_PLUGS),
    "plug-capacity": (limit_power, _blower, fewer_cards),
    "power-limit-range": (allowed_limit,),
    # Circuit, cord and UPS
    "mains-circuit": _CIRCUIT,
    "circuit-share": (limit_power, one_more_circuit, another_circuit, fewer_cards),
    "mains-inlet": (limit_power, _psu, one_more(Category.PSU), fewer_cards),
    "cord": (limit_power, another_circuit, _psu, one_more(Category.PSU), fewer_cards),
    "ups-power": _UPS,
    "ups-apparent": _UPS,
    "ups": (_ups, fewer(Category.UPS)),
    "ups-sine": (_ups, fewer(Category.UPS)),
    "ups-runtime": (_ups, fewer(Category.UPS)),
}

WITHOUT = frozenset(("vram-need", "gpu-capability", "pcie-atomics"))
"""Rules whose findings tell what the machine is for, not what is wrong with it."""
