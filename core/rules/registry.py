"""The list of all rules. A new rule is written in its file and stands here by its group."""

from __future__ import annotations

from typing import Any

from core.rules.air import AIR_RULES
from core.rules.cables import CABLE_RULES
from core.rules.case import CASE_RULES
from core.rules.cooler import COOLER_RULES
from core.rules.cpu import CPU_RULES
from core.rules.links import LINK_RULES
from core.rules.mains import MAINS_RULES
from core.rules.memory import MEMORY_RULES
from core.rules.rule import Rule
from core.rules.slots import SLOT_RULES
from core.rules.supply import SUPPLY_RULES
from core.rules.unknowns import UNKNOWN_RULES

RULES: tuple[Rule[Any], ...] = (
    *CPU_RULES,
    *MEMORY_RULES,
    *SLOT_RULES,
    *CASE_RULES,
    *COOLER_RULES,
    *SUPPLY_RULES,
    *CABLE_RULES,
    *LINK_RULES,
    *MAINS_RULES,
    *AIR_RULES,
    *UNKNOWN_RULES,
)
