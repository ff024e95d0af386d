"""The table of loads: what each is called, what it can be asked, where its classes are. Free of torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from core.errors import BadInput
from core.language import tr
from core.loads.evidence import RunEvidence
from core.loads.group.contract import (
    CollectivesEvidence,
    CollectivesParams,
    DataParallelEvidence,
    DataParallelLoadParams,
    P2pEvidence,
    P2pParams,
)
from core.loads.load import RankGroup
from core.loads.machine.contract import MachineEvidence, MachineParams
from core.loads.memory.contract import (
    BandwidthEvidence,
    BandwidthParams,
    HostLinkEvidence,
    HostLinkParams,
    VramEvidence,
    VramParams,
)
from core.loads.params import LoadParams
from core.loads.products.contract import (
    GemmEvidence,
    GemmParams,
    KnownAnswerEvidence,
    KnownAnswerParams,
    TransientsEvidence,
    TransientsParams,
)
from core.loads.simulated import group, memory, products, training
from core.loads.simulated.load import Believable, SimulatedLoad
from core.loads.training.contract import (
    LstmParams,
    OwnModuleParams,
    ReplayEvidence,
    ReplayParams,
    ResnetParams,
    TrainingEvidence,
    TransformerParams,
)
from core.loads.units.contract import FunctionalUnitsEvidence, FunctionalUnitsParams


@dataclass(frozen=True, slots=True)
class LoadEntry:
    """One load. `computes` names its class as "module:class", which is loaded when first needed: it takes (params,
    torch.device); one that runs on several devices together also takes `group`, its place among them."""

    name: str
    params: type[LoadParams]
    evidence: type[RunEvidence]
    simulated: Callable[[SimulatedLoad, Any], Believable]
    computes: str
    together: bool = False

    def with_group(self, given: RankGroup | None) -> dict[str, RankGroup]:
        """The further argument of a load that runs on several devices together. Raises BadInput without a group."""
        if not self.together:
            return {}
        if given is None:
            raise BadInput(
                tr("The load {name} runs on several devices together and was started on one alone.", name=self.name)
            )
        return {"group": given}


LOADS: tuple[LoadEntry, ...] = (
    LoadEntry("known_answer", KnownAnswerParams, KnownAnswerEvidence, products.known_answer,
              "core.loads.products.known_answer_load:KnownAnswerLoad"),
    LoadEntry("vram", VramParams, VramEvidence, memory.vram, "core.loads.memory.vram:VramLoad"),
    LoadEntry("bandwidth", BandwidthParams, BandwidthEvidence, memory.bandwidth,
              "core.loads.memory.bandwidth:BandwidthLoad"),
    LoadEntry("host_link", HostLinkParams, HostLinkEvidence, memory.host_link,
              "core.loads.memory.host_link:HostLinkLoad"),
    LoadEntry("functional_units", FunctionalUnitsParams, FunctionalUnitsEvidence, memory.functional_units,
              "core.loads.units.load:FunctionalUnitsLoad"),
    LoadEntry("gemm", GemmParams, GemmEvidence, products.gemm, "core.loads.products.gemm:GemmLoad"),
    LoadEntry("transients", TransientsParams, TransientsEvidence, products.transients,
              "core.loads.products.transients:TransientsLoad"),
    LoadEntry("resnet", ResnetParams, TrainingEvidence, training.resnet, "core.loads.training.overfit:ResnetLoad"),
    LoadEntry("lstm", LstmParams, TrainingEvidence, training.lstm, "core.loads.training.overfit:LstmLoad"),
    LoadEntry("transformer", TransformerParams, TrainingEvidence, training.transformer,
              "core.loads.training.overfit:TransformerLoad"),
    LoadEntry("own_module", OwnModuleParams, TrainingEvidence, training.own_module,
              "core.loads.training.own_module:OwnModuleLoad"),
    LoadEntry("replay", ReplayParams, ReplayEvidence, training.replay, "core.loads.training.replay:ReplayLoad"),
    LoadEntry("p2p", P2pParams, P2pEvidence, group.p2p, "core.loads.group.together:P2pLoad", together=True),
    LoadEntry("collectives", CollectivesParams, CollectivesEvidence, group.collectives,
              "core.loads.group.together:CollectivesLoad", together=True),
    LoadEntry("data_parallel", DataParallelLoadParams, DataParallelEvidence, group.data_parallel,
              "core.loads.group.together:DataParallelLoad", together=True),
    LoadEntry("machine", MachineParams, MachineEvidence, memory.machine, "core.loads.machine.load:MachineLoad"),
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
