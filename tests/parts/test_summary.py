"""The short line of a part, by category."""

import pytest

from core.parts.figure import short_line_in_english
from core.parts.figures import summary
from core.parts.part import Part, Source
from core.parts.specs import (
    CableSet,
    CableSpec,
    CarrierSeat,
    CarrierSpec,
    CaseSpec,
    ConnectorCount,
    CpuCoolerSpec,
    CpuSpec,
    FanPoint,
    FanSpec,
    GpuSpec,
    MotherboardSpec,
    NicSpec,
    NvlinkBridgeSpec,
    OutletCount,
    PduSpec,
    PsuSpec,
    PumpSpec,
    RadiatorSpec,
    RamSpec,
    RiserSpec,
    Slot,
    Spec,
    StorageSpec,
    SystemSpec,
    UpsSpec,
    WaterBlockSpec,
)
from core.parts.values import connectors
from core.parts.vocabulary import (
    CarrierKind,
    CaseKind,
    Category,
    CoolerKind,
    EfficiencyLevel,
    FormFactor,
    GpuCooling,
    GpuForm,
    MainsOutlet,
    MainsPlug,
    Metering,
    ModuleKind,
    PowerConnector,
    RamType,
    RiserKind,
    SeatKind,
    Socket,
    StorageKind,
    SystemKind,
)
from core.words import english, spoken
from tests.shipped import every_part

BLOWER = GpuSpec(
    product="GeForce RTX 3090", memory_gb=24, power_limit_w=350, width_slots=2, length_mm=267, cooling=GpuCooling.BLOWER
)
X16 = Slot(position=1, label="1", mechanical_lanes=16, lanes=16, generation=4)
CASES: list[tuple[Spec, str]] = [
    (BLOWER.model_copy(update={"discontinued": 2023}), "24 GB, 350 W, 2 slots, 267 mm, blower, discontinued by 2023"),
    (CaseSpec(kind=CaseKind.OPEN_FRAME, expansion_slots=0), "open frame, 0 slots"),
    (BLOWER, "24 GB, 350 W, 2 slots, 267 mm, blower"),
    (GpuSpec(product="H100", memory_gb=80, form=GpuForm.SXM), "80 GB, SXM"),
    (GpuSpec(product="MI300X", memory_gb=192, form=GpuForm.OAM), "192 GB, OAM"),
    (GpuSpec(product="T4", width_slots=1), "1 slot"),
    (GpuSpec(product="?"), ""),
    (
        CpuSpec(socket=Socket.SP3, cores=16, pcie_generation=4, pcie_lanes=128, ram_channels=8, tdp_w=155),
        "SP3, 16 cores, PCIe 4.0 x128, 8 memory channels, 155 W",
    ),
    (CpuSpec(tdp_w=155, sustained_power_w=180), "180 W"),
    (
        MotherboardSpec(
            socket=Socket.SP5,
            cpu_sockets=2,
            form_factor=FormFactor.SSI_EEB,
            slots=(X16,),
            ram_type=RamType.DDR5,
            ram_slots=24,
        ),
        "2 x SP5, SSI-EEB, 1 x16 slot, DDR5, 24 memory slots",
    ),
    (
        RamSpec(modules=4, module_gb=64, ram_type=RamType.DDR5, speed_mts=5600, kind=ModuleKind.RDIMM, ecc=True),
        "4 x 64 GB, DDR5-5600, RDIMM, ECC",
    ),
    (RamSpec(modules=1, module_gb=32, ram_type=RamType.DDR4), "32 GB, DDR4"),
    (
        StorageSpec(kind=StorageKind.NVME, capacity_gb=2000, form_factor="M.2 2280", pcie_generation=4, pcie_lanes=4),
        "2 TB, NVMe, M.2 2280, PCIe 4.0 x4",
    ),
    (StorageSpec(kind=StorageKind.SATA_SSD, capacity_gb=250), "250 GB, SATA SSD"),
    (
        PsuSpec(
            power_w=1600,
            efficiency_level=EfficiencyLevel.TITANIUM,
            cables=(
                CableSet(kind=PowerConnector.PCIE_8PIN, cables=6),
                CableSet(kind=PowerConnector.EPS_8PIN, cables=2),
                CableSet(kind=PowerConnector.PCIE_8PIN, cables=2, connectors_per_cable=2),
                CableSet(kind=PowerConnector.PCIE_16PIN_2X6, cables=1),
            ),
            length_mm=210,
        ),
        "1600 W, Titanium, 10 x 8-pin, 12V-2x6, 210 mm",
    ),
    (
        CaseSpec(
            kind=CaseKind.OPEN_FRAME,
            form_factors=(FormFactor.SSI_EEB, FormFactor.ATX),
            expansion_slots=8,
            gpu_max_length_mm=330,
        ),
        "open frame, SSI-EEB, 8 slots, GPU to 330 mm",
    ),
    (CaseSpec(kind=CaseKind.RACK, rack_units=4), "rack, 4 rack units"),
    (
        CpuCoolerSpec(kind=CoolerKind.AIR, height_mm=165, sockets=(Socket.SP3, Socket.STR5)),
        "air, 165 mm high, SP3 sTR5",
    ),
    (CpuCoolerSpec(kind=CoolerKind.AIO, radiator_mm=360), "AIO, 360 mm radiator"),
    (
        FanSpec(
            size_mm=120,
            thickness_mm=25,
            points=(FanPoint(rpm=2000, airflow_m3h=102, static_pressure_mmh2o=3.94, level_dba=30), FanPoint(rpm=900)),
        ),
        "120 x 25 mm, 2000 rpm, 102 m³/h, 3.94 mmH₂O, 30 dBA",
    ),
    (FanSpec(size_mm=140), "140 mm"),
    (RadiatorSpec(length_mm=480, thickness_mm=60), "480 mm, 60 mm thick"),
    (PumpSpec(kind="D5", flow_lph=1500, head_m=3.9, power_w=23), "D5, 1500 l/h, 3.9 m head, 23 W"),
    (WaterBlockSpec(fits_products=("GeForce RTX 3090",), width_slots=1), "GeForce RTX 3090, 1 slot"),
    (RiserSpec(kind=RiserKind.RETIMER, generation=5, lanes=16, length_mm=350), "retimer, PCIe 5.0 x16, 350 mm"),
    (RiserSpec(kind=RiserKind.MCIO, lanes=8), "MCIO, PCIe x8"),
    (
        NvlinkBridgeSpec(generation=3, spacing_slots=4, bandwidth_gbps=112.5, fits_products=("GeForce RTX 3090",)),
        "NVLink 3, 4-slot spacing, 112.5 GB/s, GeForce RTX 3090",
    ),
    (NicSpec(ports=2, port_gbit=25, pcie_generation=3, pcie_lanes=8), "2 x 25 Gbit/s, PCIe 3.0 x8"),
    (NicSpec(ports=1, port_gbit=200, pcie_generation=4), "200 Gbit/s, PCIe 4.0"),
    (
        CarrierSpec(
            kind=CarrierKind.SWITCH,
            host=SeatKind.SLIMSAS,
            host_lanes=16,
            generation=4,
            seats=(CarrierSeat(number=1, lanes=16), CarrierSeat(number=4, lanes=16)),
        ),
        "PCIe switch, SlimSAS, PCIe 4.0 x16, 2 seats",
    ),
    (UpsSpec(power_w=2700, apparent_va=3000, input_v=230, pure_sine=True), "2700 W, 3000 VA, 230 V, sine wave"),
    (
        PduSpec(
            inlet=MainsPlug.NEMA_L6_30,
            input_v=208,
            current_a=30,
            outlets=(OutletCount(kind=MainsOutlet.C13, count=21), OutletCount(kind=MainsOutlet.C19, count=3)),
            metering=Metering.SWITCHED,
        ),
        "NEMA L6-30P, 30 A, 208 V, 21 x C13, 3 x C19, switched",
    ),
    (
        CableSpec(
            source_kind=PowerConnector.PCIE_8PIN,
            source_count=3,
            target_kind=PowerConnector.PCIE_16PIN,
            target_count=1,
            rated_w=450,
        ),
        "3 x 8-pin to 12VHPWR, 450 W",
    ),
    (
        SystemSpec(
            kind=SystemKind.SEALED, product="GB10", memory_gb=128, memory_bandwidth_gbps=273, ports=2, port_gbit=200
        ),
        "sealed, GB10, 128 GB, 273 GB/s, 2 x 200 Gbit/s",
    ),
]


def part(spec: Spec) -> Part:
    return Part(id="part", maker="Maker", name="Part", spec=spec, sources=(Source(title="Made up"),))


@pytest.mark.parametrize(("spec", "line"), CASES, ids=[line or "nothing known" for _, line in CASES])
def test_the_deciding_figures_stand_in_one_line(spec: Spec, line: str) -> None:
    assert summary(part(spec)) == line


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_index_has_the_line_in_english(language: str) -> None:
    with spoken(language):
        for part in every_part():
            assert short_line_in_english(part.spec) == english(summary(part))


def test_every_category_is_shown_here() -> None:
    assert {spec.category for spec, _ in CASES} == set(Category)


def test_power_sockets_are_described_in_words() -> None:
    sockets = [
        ConnectorCount(kind=PowerConnector.PCIE_8PIN, count=2),
        ConnectorCount(kind=PowerConnector.PCIE_6PIN, count=1),
    ]
    assert connectors(sockets) == "2 x 8-pin + 6-pin"
    assert connectors([]) == ""
