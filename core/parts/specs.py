"""The figures of a part, one typed model per category. `None` is unknown, never zero.

Lengths in mm, power in W, airflow in m3/h, pressure in mmH2O, levels in dBA with their distance.
"""

from __future__ import annotations

from typing import Annotated, get_args

from pydantic import Field

from core.parts.board import (
    CarrierSeat,
    CarrierSpec,
    HostPort,
    LaneCase,
    M2Socket,
    MotherboardSpec,
    NvlinkFabric,
    RiserSpec,
    Slot,
)
from core.parts.compute import CpuSpec, Excursion, GpuSpec, NicSpec, NvlinkBridgeSpec, RamSpec, StorageSpec
from core.parts.cooling import CpuCoolerSpec, FanPoint, FanSpec, PumpSpec, RadiatorPoint, RadiatorSpec, WaterBlockSpec
from core.parts.housing import CaseSpec, FanMount, Included, IncludedFan, PsuMount, RadiatorMount, SystemSpec
from core.parts.power import (
    CableSet,
    CableSpec,
    EfficiencyPoint,
    FanSpeed,
    InputLimit,
    OutletCount,
    PduSpec,
    PsuSpec,
    UpsSpec,
)
from core.parts.values import ConnectorCount, NoisePoint, Value
from core.parts.vocabulary import Category

__all__ = [
    "CableSet",
    "CableSpec",
    "CarrierSeat",
    "CarrierSpec",
    "CaseSpec",
    "ConnectorCount",
    "CpuCoolerSpec",
    "CpuSpec",
    "EfficiencyPoint",
    "Excursion",
    "FanMount",
    "FanPoint",
    "FanSpec",
    "FanSpeed",
    "GpuSpec",
    "HostPort",
    "Included",
    "IncludedFan",
    "InputLimit",
    "LaneCase",
    "M2Socket",
    "MotherboardSpec",
    "NicSpec",
    "NoisePoint",
    "NvlinkBridgeSpec",
    "NvlinkFabric",
    "OutletCount",
    "PduSpec",
    "PsuMount",
    "PsuSpec",
    "PumpSpec",
    "RadiatorMount",
    "RadiatorPoint",
    "RadiatorSpec",
    "RamSpec",
    "RiserSpec",
    "Slot",
    "Spec",
    "StorageSpec",
    "SystemSpec",
    "UpsSpec",
    "Value",
    "WaterBlockSpec",
    "spec_model",
]

Spec = Annotated[
    GpuSpec
    | CpuSpec
    | MotherboardSpec
    | RamSpec
    | StorageSpec
    | PsuSpec
    | CaseSpec
    | SystemSpec
    | CpuCoolerSpec
    | FanSpec
    | RadiatorSpec
    | PumpSpec
    | WaterBlockSpec
    | RiserSpec
    | CarrierSpec
    | NvlinkBridgeSpec
    | NicSpec
    | UpsSpec
    | PduSpec
    | CableSpec,
    Field(discriminator="category"),
]

_MODELS: dict[Category, type[Value]] = {
    model.model_fields["category"].default: model for model in get_args(get_args(Spec)[0])
}


def spec_model(category: Category) -> type[Value]:
    """The model of a category's figures."""
    return _MODELS[category]
