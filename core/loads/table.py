"""The table of loads: what each is called, what it can be asked, where its classes are. Free of torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from core.errors import BadInput
from core.language import tr
from core.loads.evidence import RunEvidence
from core.loads.group import contract as group
from core.loads.load import RankGroup
from core.loads.machine import contract as machine
from core.loads.memory import contract as memory
from core.loads.params import LoadParams
from core.loads.products import contract as products
from core.loads.simulated import group as simulated_group
from core.loads.simulated import memory as simulated_memory
from core.loads.simulated import products as simulated_products
from core.loads.simulated import training as simulated_training
from core.loads.simulated.load import Believable, SimulatedLoad
from core.loads.training import contract as training
from core.loads.units import contract as units


@dataclass(frozen=True, slots=True)
class LoadEntry:
    """One load. `computes` names its class as "module:class", which is loaded when first needed: it takes (params,
    torch.device); one that runs on several devices together also takes `group`, its place among them."""

    name: str
    computes: str
    params: type[LoadParams]
    evidence: type[RunEvidence]
    simulated: Callable[[SimulatedLoad, Any], Believable]
    together: bool = False

    def with_group(self, group: RankGroup | None) -> dict[str, RankGroup]:
        """The further argument of a load that runs on several devices together. Raises BadInput without a group."""
        if not self.together:
            return {}
        if group is None:
            raise BadInput(
                tr("The load {name} runs on several devices together and was started on one alone.", name=self.name)
            )
        return {"group": group}


LOADS: tuple[LoadEntry, ...] = (
    LoadEntry("known_answer", "core.loads.products.known_answer_load:KnownAnswerLoad",
              products.KnownAnswerParams, products.KnownAnswerEvidence, simulated_products.known_answer),
    LoadEntry("vram", "core.loads.memory.vram:VramLoad",
              memory.VramParams, memory.VramEvidence, simulated_memory.vram),
    LoadEntry("bandwidth", "core.loads.memory.bandwidth:BandwidthLoad",
              memory.BandwidthParams, memory.BandwidthEvidence, simulated_memory.bandwidth),
    LoadEntry("host_link", "core.loads.memory.host_link:HostLinkLoad",
              memory.HostLinkParams, memory.HostLinkEvidence, simulated_memory.host_link),
    LoadEntry("functional_units", "core.loads.units.load:FunctionalUnitsLoad",
              units.FunctionalUnitsParams, units.FunctionalUnitsEvidence, simulated_memory.functional_units),
    LoadEntry("gemm", "core.loads.products.gemm:GemmLoad",
              products.GemmParams, products.GemmEvidence, simulated_products.gemm),
    LoadEntry("transients", "core.loads.products.transients:TransientsLoad",
              products.TransientsParams, products.TransientsEvidence, simulated_products.transients),
    LoadEntry("resnet", "core.loads.training.overfit:ResnetLoad",
              training.ResnetParams, training.TrainingEvidence, simulated_training.resnet),
    LoadEntry("lstm", "core.loads.training.overfit:LstmLoad",
              training.LstmParams, training.TrainingEvidence, simulated_training.lstm),
    LoadEntry("transformer", "core.loads.training.overfit:TransformerLoad",
              training.TransformerParams, training.TrainingEvidence, simulated_training.transformer),
    LoadEntry("own_module", "core.loads.training.own_module:OwnModuleLoad",
              training.OwnModuleParams, training.TrainingEvidence, simulated_training.own_module),
    LoadEntry("replay", "core.loads.training.replay:ReplayLoad",
              training.ReplayParams, training.ReplayEvidence, simulated_training.replay),
    LoadEntry("p2p", "core.loads.group.together:P2pLoad",
              group.P2pParams, group.P2pEvidence, simulated_group.p2p, together=True),
    LoadEntry("collectives", "core.loads.group.together:CollectivesLoad",
              group.CollectivesParams, group.CollectivesEvidence, simulated_group.collectives, together=True),
    LoadEntry("data_parallel", "core.loads.group.together:DataParallelLoad",
              group.DataParallelLoadParams, group.DataParallelEvidence, simulated_group.data_parallel, together=True),
    LoadEntry("machine", "core.loads.machine.load:MachineLoad",
              machine.MachineParams, machine.MachineEvidence, simulated_memory.machine),
)  # fmt: skip
BY_NAME = {entry.name: entry for entry in LOADS}


def load_entry(name: str) -> LoadEntry:
    """A load by name. Raises BadInput for an unknown one."""
    if name not in BY_NAME:
        raise BadInput(tr("There is no load {name!r}. Choose from {loads}.", name=name, loads=", ".join(BY_NAME)))
    return BY_NAME[name]


def located(place: str) -> Any:
    """The class that "module:class" names."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
