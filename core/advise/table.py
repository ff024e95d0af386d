"""Which changes are tried for the findings of which rule, the cheapest kind first.

Another slot, then a setting, then a circuit, cable or riser, then another part. Going without a card or part stands in
a row as well; it is tried last, and only for what fails.
"""

from __future__ import annotations

from core.advise.card_fixes import arrange, fewer_cards, off_risers, put_on_riser
from core.advise.limit_fixes import allowed_limit, faster_fans, limit_power, slower_fans
from core.advise.part_fixes import (
    Add,
    Fewer,
    Maker,
    Swap,
    SwapModules,
    all_of,
    at_least,
    at_most,
    less,
    like_the,
    more,
    no_less,
    of_the_same,
    one_more,
    one_of,
    second_supply,
    several_times,
)
from core.advise.power_fixes import another_circuit, one_more_circuit, share_out
from core.parts.query import Filter
from core.parts.vocabulary import Category

SPARE = (Category.CABLE, Category.NVLINK_BRIDGE, Category.WATER_BLOCK, Category.RISER)
"""Parts that a machine may have too many of: going without one is no loss."""

_SAME_CHIP = of_the_same("product")
_CPU_FOR_BOARD = like_the(Category.MOTHERBOARD, socket="socket")
_BOARD_FOR_CPU = like_the(Category.CPU, socket="socket")
_RAM_FOR_BOARD = like_the(Category.MOTHERBOARD, ram_type="ram_type", kind="ram_kinds")
_COOLER_FOR_CPU = like_the(Category.CPU, sockets="socket")
_CASE_FOR_BOARD = like_the(Category.MOTHERBOARD, form_factors="form_factor")
_SAME_FORM = all_of(no_less("power_w"), of_the_same("form_factor"))

_cpu = Swap(Category.CPU, "cores", _CPU_FOR_BOARD)
_cpu_with_graphics = Swap(Category.CPU, "cores", all_of(_CPU_FOR_BOARD, one_of("integrated_graphics", "yes")))
_board_with_output = Swap(Category.MOTHERBOARD, "x16_slots", all_of(_BOARD_FOR_CPU, one_of("video_output", "yes")))
_cpu_of_more_lanes = Swap(Category.CPU, "pcie_lanes", all_of(_CPU_FOR_BOARD, more("pcie_lanes")))
_board = Swap(Category.MOTHERBOARD, "x16_slots", _BOARD_FOR_CPU)
_smaller_board = Swap(
    Category.MOTHERBOARD, "x16_slots", all_of(_BOARD_FOR_CPU, like_the(Category.CASE, form_factor="form_factors"))
)
_board_of_more_slots = Swap(Category.MOTHERBOARD, "x16_slots", all_of(_BOARD_FOR_CPU, more("x16_slots")))
_ram = SwapModules(Category.RAM, "module_gb", _RAM_FOR_BOARD)
_ram_as_large = SwapModules(Category.RAM, "module_gb", all_of(_RAM_FOR_BOARD, no_less("module_gb")))
_larger_modules = Swap(Category.RAM, "module_gb", all_of(_RAM_FOR_BOARD, more("module_gb")))
_ecc_ram = Swap(Category.RAM, "total_gb", all_of(_RAM_FOR_BOARD, no_less("modules", "module_gb")))
_case_of_more_openings = Swap(
    Category.CASE, "expansion_slots", all_of(_CASE_FOR_BOARD, at_least("expansion_slots"), more("expansion_slots"))
)
_another_case = Swap(Category.CASE, "expansion_slots", all_of(_CASE_FOR_BOARD, no_less("expansion_slots")))
_airy_case = Swap(
    Category.CASE, "expansion_slots", all_of(_CASE_FOR_BOARD, no_less("expansion_slots"), one_of("panels", "mesh"))
)
_psu = Swap(Category.PSU, "power_w", _SAME_FORM)
_psu_of_any_form = Swap(Category.PSU, "power_w", no_less("power_w"))
_psu_of_more_plugs = Swap(Category.PSU, "power_w", all_of(_SAME_FORM, at_least("graphics_plugs")))
_stronger_psu = Swap(Category.PSU, "power_w", all_of(of_the_same("form_factor"), more("power_w")))
_blower = Swap(Category.GPU, "length_mm", all_of(_SAME_CHIP, one_of("cooling", "blower")))
_own_radiator = Swap(Category.GPU, "", all_of(_SAME_CHIP, one_of("cooling", "hybrid")))
_narrower = Swap(Category.GPU, "width_slots", all_of(_SAME_CHIP, less("width_slots")))
_shorter = Swap(Category.GPU, "length_mm", all_of(_SAME_CHIP, less("length_mm")))
_cooler = Swap(Category.CPU_COOLER, "height_mm", _COOLER_FOR_CPU)
_cooler_of_the_kind = Swap(Category.CPU_COOLER, "radiator_mm", all_of(_COOLER_FOR_CPU, of_the_same("kind")))
_cooler_of_smaller_radiator = Swap(Category.CPU_COOLER, "radiator_mm", all_of(_COOLER_FOR_CPU, less("radiator_mm")))
_air_cooler = Swap(Category.CPU_COOLER, "height_mm", all_of(_COOLER_FOR_CPU, one_of("kind", "air")))
_smaller_radiator = Swap(Category.RADIATOR, "length_mm", less("length_mm"))
_case_fan = Add(Category.FAN, "max_level_dba", limits=(Filter("size_mm", (120, 140)),), tried=3)
_riser = Swap(Category.RISER, "generation", more("generation"))
_shorter_riser = Swap(Category.RISER, "length_mm", all_of(no_less("generation"), less("length_mm")))
_wider_riser = Swap(Category.RISER, "generation", no_less("generation"))
_ups = Swap(Category.UPS, "power_w", no_less("power_w"))

_PLUGS = (
    share_out,
    Add(Category.CABLE, "rated_w", limits=(Filter("source_kind", ("pcie_8pin", "eps_8pin")),)),
    _psu_of_more_plugs,
    second_supply,
    fewer_cards,
)
_CIRCUIT = (limit_power, another_circuit, one_more_circuit, fewer_cards)
_UPS = (limit_power, one_more(Category.UPS), _ups, Fewer(Category.UPS))
_AIR = (
    arrange,
    faster_fans,
    limit_power,
    one_more(Category.FAN),
    _case_fan,
    _blower,
    _own_radiator,
    _airy_case,
    put_on_riser,
    fewer_cards,
)

FIXES: dict[str, tuple[Maker, ...]] = {
    # A processor and its board
    "cpu-socket": (_cpu, _board),
    "cpu-count": (Fewer(Category.CPU), _board),
    "cpu-together": (Fewer(Category.CPU), _cpu),
    "cpu-cores": (Swap(Category.CPU, "cores", all_of(_CPU_FOR_BOARD, at_least("cores"))), fewer_cards),
    "cpu-power": (_board, _cpu),
    # Memory
    "ram-type": (_ram_as_large, _ram, _board),
    "ram-kind": (_ram_as_large, _ram, _board),
    "ram-mixed": (Fewer(Category.RAM), _ram),
    "ram-modules": (Fewer(Category.RAM), _larger_modules, _board),
    "ram-capacity": (Fewer(Category.RAM), _ram, _board),
    "ram-channels": (several_times(Category.RAM), _ram, Fewer(Category.RAM)),
    "ram-for-gpus": (several_times(Category.RAM), _larger_modules),
    "ram-2dpc": (_larger_modules, Fewer(Category.RAM)),
    "ram-ecc": (_ecc_ram,),
    # Drives
    "storage-sockets": (Fewer(Category.STORAGE), _board),
    "storage-bays": (Fewer(Category.STORAGE), _another_case),
    "boot-drive": (Add(Category.STORAGE),),
    # Cards in slots
    "slot-placed": (arrange, put_on_riser, _narrower, _board_of_more_slots, fewer_cards),
    "slot-overlap": (arrange, put_on_riser, _narrower, _board_of_more_slots, fewer_cards),
    "slot-mechanical": (arrange, put_on_riser, _board_of_more_slots, fewer_cards),
    "case-openings": (arrange, put_on_riser, _case_of_more_openings, _narrower, fewer_cards),
    "pcie-link": (arrange, off_risers, _wider_riser, _board_of_more_slots, fewer_cards),
    "pcie-attachment": (arrange, one_more(Category.CPU), _board_of_more_slots, fewer_cards),
    "cpu-lanes": (arrange, _cpu_of_more_lanes, _cpu, _board_of_more_slots, fewer_cards),
    "nvlink-bridge": (arrange, Swap(Category.NVLINK_BRIDGE, "spacing_slots"), Fewer(Category.NVLINK_BRIDGE)),
    "nvlink-generation": (Swap(Category.NVLINK_BRIDGE, "spacing_slots"), Fewer(Category.NVLINK_BRIDGE)),
    "pcie-sys": (arrange, fewer_cards),
    "bar-space": (_board, fewer_cards),
    "display-output": (_cpu_with_graphics, _board_with_output),
    "riser-count": (off_risers, Add(Category.RISER), one_more(Category.RISER)),
    "riser-lanes": (off_risers, _wider_riser, arrange),
    "riser-generation": (off_risers, _riser, arrange),
    "riser-length": (off_risers, _shorter_riser, arrange),
    "riser-power": (off_risers, _wider_riser, arrange),
    "bifurcation": (off_risers, arrange, _board, fewer_cards),
    "card-gap": (*_AIR[:-1], _board_of_more_slots, fewer_cards),
    "card-passive": (_another_case, _blower, Swap(Category.GPU, "", _SAME_CHIP), fewer_cards),
    # The case
    "one-of-each": (Fewer(Category.MOTHERBOARD), Fewer(Category.CASE)),
    "case-board": (_another_case, Swap(Category.CASE, "expansion_slots", _CASE_FOR_BOARD), _smaller_board),
    "card-length": (
        Swap(Category.GPU, "length_mm", all_of(_SAME_CHIP, at_most("length_mm"))),
        Swap(Category.CASE, "gpu_max_length_mm", all_of(_CASE_FOR_BOARD, at_least("gpu_max_length_mm"))),
        fewer_cards,
    ),
    "card-height": (
        Swap(Category.CASE, "gpu_max_height_mm", all_of(_CASE_FOR_BOARD, at_least("gpu_max_height_mm"))),
        Swap(Category.GPU, "height_mm", all_of(_SAME_CHIP, less("height_mm"))),
        Swap(Category.CASE, "cpu_cooler_max_height_mm", all_of(_CASE_FOR_BOARD, more("cpu_cooler_max_height_mm"))),
        fewer_cards,
    ),
    "cooler-height": (
        Swap(Category.CPU_COOLER, "height_mm", all_of(_COOLER_FOR_CPU, at_most("height_mm"))),
        Swap(Category.CASE, "cpu_cooler_max_height_mm", all_of(_CASE_FOR_BOARD, at_least("cpu_cooler_max_height_mm"))),
        Swap(Category.CPU_COOLER, "radiator_mm", all_of(_COOLER_FOR_CPU, one_of("kind", "aio"))),
    ),
    "card-front": (
        _shorter,
        _cooler_of_smaller_radiator,
        _air_cooler,
        Swap(Category.CASE, "gpu_max_length_mm", all_of(_CASE_FOR_BOARD, more("gpu_max_length_mm"))),
        Fewer(Category.RADIATOR),
    ),
    "card-mass": (Swap(Category.GPU, "mass_g", all_of(_SAME_CHIP, at_most("mass_g"))),),
    "cooler-neighbours": (Swap(Category.RAM, "height_mm", _RAM_FOR_BOARD), _cooler),
    "psu-mounts": (_psu_of_any_form, _another_case, Fewer(Category.PSU)),
    "radiator-mounts": (
        _smaller_radiator,
        _cooler_of_smaller_radiator,
        _air_cooler,
        _another_case,
        Fewer(Category.RADIATOR),
    ),
    "cooler-socket": (_cooler_of_the_kind, _cooler),
    "cooler-count": (one_more(Category.CPU_COOLER),),
    "cooler-power": (Swap(Category.CPU_COOLER, "rated_power_w", all_of(_COOLER_FOR_CPU, at_least("rated_power_w"))),),
    "water-block": (Fewer(Category.WATER_BLOCK),),
    "radiator-capacity": (
        limit_power,
        one_more(Category.RADIATOR),
        Swap(Category.RADIATOR, "length_mm", more("length_mm")),
        Add(Category.RADIATOR, "length_mm"),
        fewer_cards,
    ),
    "loop-pump": (one_more(Category.PUMP), Add(Category.PUMP)),
    # Air, heat and noise
    "airflow": _AIR,
    "air-balance": (faster_fans, one_more(Category.FAN), _case_fan, _airy_case, _another_case),
    "card-temperature": _AIR,
    "noise-training": (slower_fans, limit_power, _own_radiator, _cooler, fewer_cards),
    "noise-idle": (slower_fans, _cooler, _psu, fewer_cards),
    "heat-room": (limit_power, fewer_cards),
    # Power
    "psu-power": (limit_power, _stronger_psu, second_supply, fewer_cards),
    "psu-excursion": (limit_power, _psu, second_supply, fewer_cards),
    "psu-balance": (share_out, limit_power, _stronger_psu, second_supply, fewer_cards),
    "psu-as-set": (share_out, second_supply),
    "psu-sync": (Add(Category.CABLE, limits=(Filter("source_kind", ("atx_24pin",)),)), Fewer(Category.PSU)),
    "psu-voltage": (another_circuit, _psu),
    "cpu-rail": (_psu, _cpu),
    "board-aux-power": (put_on_riser, _board, fewer_cards),
    "gpu-cables": _PLUGS,
    "board-cables": _PLUGS,
    "cable-shared": _PLUGS,
    "eps-not-pcie": _PLUGS,
    "cable-length": (_psu, off_risers),
    "adapter-rating": (limit_power, Fewer(Category.CABLE), *_PLUGS),
    "sense-coding": (limit_power, *_PLUGS),
    "plug-capacity": (limit_power, Swap(Category.GPU, "", _SAME_CHIP), fewer_cards),
    "power-limit-range": (allowed_limit,),
    # Circuit, cord and UPS
    "mains-circuit": _CIRCUIT,
    "circuit-share": (limit_power, one_more_circuit, another_circuit, fewer_cards),
    "mains-inlet": (limit_power, _psu, second_supply, fewer_cards),
    "cord": (limit_power, another_circuit, _psu, second_supply, fewer_cards),
    "ups-power": _UPS,
    "ups-apparent": _UPS,
    "ups": (_ups, Fewer(Category.UPS)),
    "ups-sine": (_ups, Fewer(Category.UPS)),
    "ups-runtime": (_ups, Fewer(Category.UPS)),
}

WITHOUT = frozenset(("vram-need", "gpu-capability", "pcie-atomics"))
"""Rules whose findings tell what the machine is for, not what is wrong with it."""
