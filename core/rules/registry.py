"""The list of all rules. A new rule is written in its file and stands here by its group."""

from __future__ import annotations

from typing import Any

from core.rules.adapters import ADAPTER_RULES
from core.rules.adjacent_gpus import AIR_RULES, SLOT_HEAT_RULES
from core.rules.airflow import AIRFLOW_RULES
from core.rules.boxes import BOX_RULES
from core.rules.cables import CABLE_RULES
from core.rules.carriers import CARRIER_RULES
from core.rules.case import CASE_RULES, MASS_RULES
from core.rules.clearance import CLEARANCE_RULES
from core.rules.cooler import COOLER_RULES
from core.rules.cpu import CPU_RULES
from core.rules.drives import DRIVE_RULES
from core.rules.lanes import BIFURCATION_RULES, CPU_LANE_RULES
from core.rules.links import LINK_RULES
from core.rules.mains import MAINS_RULES
from core.rules.memory import MEMORY_RULES
from core.rules.memory_speed import MEMORY_SPEED_RULES
from core.rules.noise_and_heat import ROOM_RULES
from core.rules.pdu import PDU_RULES
from core.rules.power_peaks import EXCURSION_RULES, LIMIT_RULES
from core.rules.psu import PSU_RULES
from core.rules.radiators import RADIATOR_RULES
from core.rules.riser import RISER_POWER_RULES, RISER_RULES
from core.rules.rule import Rule
from core.rules.several_psus import SEVERAL_RULES
from core.rules.slots import SLOT_RULES
from core.rules.software import SOFTWARE_RULES
from core.rules.topology import NVLINK_RULES, TOPOLOGY_RULES
from core.rules.ups import UPS_RULES
from core.rules.workload import SHAPE_RULES, WORKLOAD_RULES

RULES: tuple[Rule[Any], ...] = (
    *CPU_RULES,
    *MEMORY_RULES,
    *MEMORY_SPEED_RULES,
    *DRIVE_RULES,
    *SLOT_RULES,
    *CASE_RULES,
    *CLEARANCE_RULES,
    *MASS_RULES,
    *RADIATOR_RULES,
    *COOLER_RULES,
    *PSU_RULES,
    *EXCURSION_RULES,
    *SEVERAL_RULES,
    *CABLE_RULES,
    *ADAPTER_RULES,
    *LIMIT_RULES,
    *LINK_RULES,
    *CPU_LANE_RULES,
    *BIFURCATION_RULES,
    *TOPOLOGY_RULES,
    *SHAPE_RULES,
    *RISER_RULES,
    *RISER_POWER_RULES,
    *CARRIER_RULES,
    *BOX_RULES,
    *NVLINK_RULES,
    *MAINS_RULES,
    *UPS_RULES,
    *PDU_RULES,
    *AIR_RULES,
    *SLOT_HEAT_RULES,
    *AIRFLOW_RULES,
    *ROOM_RULES,
    *WORKLOAD_RULES,
    *SOFTWARE_RULES,
)

BY_ID: dict[str, Rule[Any]] = {rule.id: rule for rule in RULES}
