"""Verdicts on RAM speed, CPU, air, noise, heat and software: one change each to the good machine."""

from core.rules.finding import Status
from tests.rules.changes import Change, adding, aged, board_slots, both, count, figures, placing, region

F, W, U, N, P = Status.FAIL, Status.WARN, Status.UNKNOWN, Status.NOTE, Status.PASS
DUAL = {"cpu_sockets": 2, "ram_slots": 16, "ram_channels": 16}
DDR5 = {"ram_type": "DDR5", "kind": "UDIMM", "speed_mts": 6000}


def kit_of_four(speed_mts: int) -> tuple[Change, ...]:
    """Four modules that are sold together, on two channels."""
    kit = {"ram_type": "DDR5", "kind": "UDIMM", "modules": 4, "speed_mts": speed_mts}
    return count("ram", 1), figures("ram", **kit), figures("motherboard", ram_channels=2)


LAPTOP = {"cooling": "open_air", "power_limit_w": 100, "noise": [{"condition": "load", "level_dba": 25}]}
FEW_FANS = [
    {"place": "front", "size_mm": 120, "count": 1, "airflow_m3h": 60},
    {"place": "rear", "size_mm": 120, "count": 1, "airflow_m3h": 60},
]
FEW_FANS_AND_OPEN_AIR = both(
    figures("case", included_fans=FEW_FANS), figures("gpu", cooling="open_air", power_limit_w=100)
)
LOUD = [{"condition": "load", "level_dba": 62}, {"condition": "idle", "level_dba": 58}]
AMD = {"product": "Radeon PRO W7900", "compute_capability": None}
POLARIS = {"product": "Radeon RX 480", "architecture": "GCN 4", "compute_capability": None}
RDNA = {"product": "Radeon PRO W7900", "architecture": "RDNA 3", "compute_capability": None}
INTEL = {"product": "Arc A770", "compute_capability": None}
OLD = {"compute_capability": "6.1"}

CASES: list[tuple[str, Change, Status, str]] = [
    ("ram-modules", both(figures("motherboard", **DUAL), count("ram", 9)), F, "8 RAM slots with 1 CPU in 2 sockets"),
    ("ram-capacity", figures("motherboard", ram_module_max_gb=16), W, "Modules of 32 GB"),
    ("ram-channels", figures("motherboard", **DUAL), P, "all 8 memory channels with 1 CPU in 2 sockets evenly"),
    ("ram-channels", both(figures("cpu", ram_channels=4), count("ram", 4)), P,
     "all 4 memory channels of the CPU evenly"),
    ("ram-channels", both(count("ram", 2), figures("ram", speed_mts=None)), W, "75 % lower"),
    ("ram-channels", count("ram", 2), W, "51 of 205 GB/s"),
    ("ram-2dpc", figures("motherboard", ram_channels=4), P, "8 modules share 4"),
    ("ram-2dpc", both(figures("ram", **DDR5), figures("motherboard", ram_channels=4)), W, "memory tests"),
    ("ram-2dpc", both(figures("ram", kind="UDIMM", speed_mts=3600), figures("motherboard", ram_channels=4)), N,
     "clock the RAM lower"),
    ("ram-2dpc", both(figures("ram", kind="UDIMM", speed_mts=3200), figures("motherboard", ram_channels=4)), P,
     "clock the RAM lower"),
    ("ram-2dpc", both(figures("ram", kind="UDIMM", speed_mts=3200, ranks=2), figures("motherboard", ram_channels=4)), N,
     "clock the RAM lower"),
    ("ram-2dpc", both(figures("ram", **DDR5 | {"speed_mts": 4800}), figures("motherboard", ram_channels=4)), W,
     "3600 to 4800 MT/s"),
    ("ram-2dpc", both(*kit_of_four(5200)), N, "3600 to 4800 MT/s"),
    ("ram-2dpc", both(*kit_of_four(6000)), W, "3600 to 4800 MT/s"),
    ("ram-2dpc", figures("motherboard", ram_channels=None), U, "channels"),
    ("ram-speed", figures("ram", speed_mts=3600), N, "0 to 3 %"),
    ("ram-speed", figures("ram", speed_mts=None), U, "speed"),
    ("ram-ecc", figures("ram", ecc=False), N, "4 GPUs"),
    ("ram-ecc", both(figures("ram", ecc=False), placing(1)), P, "usual"),
    ("ram-ecc", figures("motherboard", ecc=False), N, "Test MOTHERBOARD does not use it"),
    ("ram-ecc", figures("cpu", ecc=None), U, "ECC of Test CPU"),
    ("ram-for-gpus", figures("ram", module_gb=8), N, "96 GB of all GPUs"),
    ("ram-for-gpus", figures("ram", module_gb=3), W, "no more than the 24 GB of the largest GPU"),
    ("cpu-cores", figures("cpu", cores=7), N, "7 cores for 4 GPUs"),
    ("cpu-cores", figures("cpu", cores=4), N, "4 cores for 4 GPUs"),
    ("cpu-cores", figures("cpu", cores=3), W, "3 cores for 4 GPUs"),
    ("cpu-cores", figures("cpu", cores=3), W, "decode about 750 images/s"),
    ("cpu-cores", figures("cpu", cores=3, boost_clock_mhz=1750), W, "decode about 375 images/s"),
    ("cpu-cores", figures("cpu", cores=3, boost_clock_mhz=None), W, "decode about 750 images/s"),
    ("cpu-cores", figures("cpu", cores=8), P, "8 cores for 4 GPUs; 4 each is the rule of thumb"),
    ("cpu-cores", figures("cpu", boost_clock_mhz=3000), P, "3.0 GHz"),
    ("cpu-cores", figures("cpu", cores=None), U, "cores"),
    ("cpu-power", figures("cpu", sustained_power_w=700), W, "600 W per CPU"),
    ("cpu-power", both(figures("cpu", sustained_power_w=350), figures("cpu_cooler", kind="block")), N,
     "voltage regulators"),
    ("cpu-power", figures("motherboard", power_inputs=[]), P, "fed by its chassis"),
    ("cpu-power", figures("motherboard", power_inputs=None), U, "power inputs"),
    ("cpu-bios", both(aged("cpu", 2023), figures("motherboard", bmc=False)), N, "newer BIOS"),
    ("cpu-bios", aged("cpu", 2023), P, "through its management controller"),
    ("cpu-bios", aged("motherboard", None), P, "year of Test MOTHERBOARD"),
    ("slot-heat", placing(1, 3, 6, power_limit_w=350), N, "175 W per slot without a gap over slot 1:"),
    ("slot-heat", placing(1, 3, 5, power_limit_w=350), N, "175 W per slot without a gap over slots 1 and 3:"),
    ("slot-heat", placing(1, 3, 5, cooling="open_air", power_limit_w=350), P, "card-gap says"),
    ("slot-heat", placing(1, 4, 7), P, "without a gap"),
    ("slot-heat", figures("gpu", power_limit_w=200), P, "without a gap"),
    ("slot-heat", figures("gpu", cooling="water_block"), P, "without a gap"),
    ("slot-heat", both(placing(1, 3), adding("water_block", 2)), P, "without a gap"),
    ("slot-heat", figures("gpu", power_limit_w=None), U, "power limit"),
    ("card-gap", placing(1, 4, cooling="flow_through"), N, "exhausts through its end"),
    ("card-gap", both(placing(1, 3, cooling="open_air"), adding("water_block", 2)), P, "water"),
    ("airflow", both(figures("gpu", cooling="open_air"), figures("case", included_fans=FEW_FANS)), W,
     "stay in the case"),
    ("airflow", both(figures("case", included_fans=None), figures("gpu", cooling="open_air")), U, "included fans"),
    ("airflow", figures("case", kind="open_frame"), P, "is open"),
    ("airflow", adding("fan", 6, points=[{"rpm": 1500, "airflow_m3h": 120}]), P, "the fans move"),
    ("airflow", both(FEW_FANS_AND_OPEN_AIR, adding("fan", points=None)), U, "points of Test FAN-2"),
    ("airflow", figures("gpu", cooling=None), U, "cooling"),
    ("air-balance", figures("case", included_fans=[]), W, "no fan and the build adds none"),
    ("air-balance", figures("case", included_fans=FEW_FANS[:1], panels="solid"), W, "only through gaps"),
    ("air-balance", figures("case", included_fans=FEW_FANS[:1], panels="mesh"), P, "leaves through its mesh"),
    ("air-balance", both(figures("case", included_fans=FEW_FANS[:1]), adding("fan")), P, "balance that"),
    ("air-balance", both(figures("case", included_fans=[]), figures("gpu", cooling="hybrid")), P, "4 fans"),
    ("air-balance", both(figures("case", included_fans=[]), figures("cpu_cooler", kind="aio")), W, "through gaps"),
    ("air-balance", figures("case", included_fans=None, panels="solid"), U, "included fans"),
    ("air-balance", figures("case", included_fans=None, panels="mesh"), P, "through the mesh"),
    ("air-balance", both(figures("case", included_fans=None, panels="solid"), adding("fan", 2)), P, "in and out"),
    ("noise-training", figures("gpu", noise=LOUD), W, "above 55 dBA"),
    ("noise-training", both(placing(1, **LAPTOP)), P, "dBA"),
    ("noise-training", figures("gpu"), N, "as loud as a server"),
    ("noise-training", figures("case", kind="rack"), P, "dBA"),
    ("noise-idle", figures("gpu", noise=LOUD), W, "at idle"),
    ("card-temperature", figures("gpu", thermal_resistance_k_per_w=0.25), W, "of its speed. Test GPU in slot 5"),
    ("card-temperature", figures("gpu", cooling="open_air"), P, "card-gap"),
    ("card-temperature", placing(1, **LAPTOP), P, "keeps its power"),
    ("heat-room", region("eu-230v-16a"), P, "fan heater"),
    ("heat-room", figures("gpu", power_limit_w=500, cooling="water_block"), W, "air conditioning"),
    ("heat-room", placing(1, **LAPTOP), P, "into the room"),
    ("vram-need", figures("gpu"), P, "3.0 billion parameters in FP32 with momentum, 1.5"),
    ("vram-need", placing(1, 3), P, "spread over both"),
    ("vram-need", figures("gpu", memory_gb=6), W, "8 GB"),
    ("vram-need", placing(1, memory_gb=6), N, "8 GB"),
    ("vram-need", figures("gpu", memory_gb=None), U, "memory"),
    ("gpu-capability", figures("gpu", **OLD), N, "CUDA 12.6 only"),
    ("gpu-capability", figures("gpu", compute_capability="3.7"), W, "no current PyTorch"),
    ("gpu-capability", both(figures("gpu", **OLD), adding("gpu", compute_capability="12.0")), W,
     "no single PyTorch build"),
    ("gpu-capability", figures("gpu", compute_capability=None), U, "compute capability"),
    ("gpu-capability", adding("gpu", **AMD), W, "no framework"),
    ("gpu-capability", figures("gpu", **AMD), P, "ROCm"),
    ("gpu-capability", adding("gpu", **INTEL), W, "Intel and NVIDIA: no framework"),
    ("gpu-capability", figures("gpu", **INTEL), P, "XPU"),
    ("gpu-capability", both(figures("gpu", **INTEL), figures("motherboard", resizable_bar=False)), W,
     "need Resizable BAR"),
    ("iommu", figures("gpu", product="RTX A6000"), N, "iommu=pt"),
    ("iommu", figures("gpu", product="GeForce RTX 4090"), P, "nothing directly over PCIe"),
    ("iommu", figures("gpu", **AMD), N, "iommu=pt"),
    ("iommu", placing(1), P, "One GPU"),
    ("iommu", figures("cpu", socket="LGA4677"), P, "not from AMD"),
    ("iommu", figures("cpu", socket=None), U, "socket"),
    ("pcie-atomics", figures("gpu", **AMD), P, "atomics"),
    ("pcie-atomics", both(figures("gpu", **POLARIS), figures("cpu", socket="LGA2011")), W, "passes no PCIe atomics on"),
    ("pcie-atomics", both(figures("gpu", **POLARIS), figures("cpu", socket="AM4", architecture="Excavator")), W,
     "passes no PCIe atomics on"),
    ("pcie-atomics", both(figures("gpu", **RDNA), figures("cpu", socket="LGA2011")), N, "once its firmware is current"),
    ("pcie-atomics", both(figures("gpu", **AMD, architecture="GCN 5.1"), figures("cpu", socket="LGA2011")), P,
     "without PCIe atomics"),
    ("pcie-atomics", both(figures("gpu", **AMD), board_slots(1, 3, 5, 7, attachment="chipset")), W, "few chipsets"),
    ("pcie-atomics", both(figures("gpu", **AMD), board_slots(1, 3, 5, 7, attachment=None)), U, "slots"),
]  # fmt: skip
