"""The table of loads: what each is called, what it can be asked, where its classes are. Free of torch."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from core.errors import BadInput
from core.language import tr
from core.loads.evidence import RunEvidence
from core.loads.group.evidence import CollectivesEvidence, DataParallelEvidence, P2pEvidence
from core.loads.group.params import CollectivesParams, DataParallelLoadParams, P2pParams
from core.loads.load import RankGroup
from core.loads.machine.evidence import MachineEvidence
from core.loads.machine.params import MachineParams
from core.loads.memory.evidence import BandwidthEvidence, HostLinkEvidence, VramEvidence
from core.loads.memory.params import BandwidthParams, HostLinkParams, VramParams
from core.loads.params import LoadParams
from core.loads.products.evidence import GemmEvidence, KnownAnswerEvidence, TransientsEvidence
from core.loads.products.params import GemmParams, KnownAnswerParams, TransientsParams
from core.loads.training.evidence import ReplayEvidence, TrainingEvidence
from core.loads.training.params import (
    LstmParams,
    OwnModuleParams,
    ReplayParams,
    ResnetParams,
    TransformerParams,
)
from core.loads.units.evidence import FunctionalUnitsEvidence
from core.loads.units.params import FunctionalUnitsParams


@dataclass(frozen=True, slots=True)
class LoadEntry:
    """One load. `computes` and `simulated` name its classes as "module:class"; they load when first needed.

    The one that computes takes (params, torch.device), the simulated one (params, model, device_id=...); a load that
    runs on several devices together also takes `group`, its place among them.
    """

    name: str
    params: type[LoadParams]
    evidence: type[RunEvidence]
    computes: str
    simulated: str
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
    LoadEntry(
        "known_answer",
        KnownAnswerParams,
        KnownAnswerEvidence,
        "core.loads.products.known_answer_load:KnownAnswerLoad",
        "core.loads.simulated.products:SimulatedKnownAnswer",
    ),
    LoadEntry(
        "vram", VramParams, VramEvidence, "core.loads.memory.vram:VramLoad", "core.loads.simulated.memory:SimulatedVram"
    ),
    LoadEntry(
        "bandwidth",
        BandwidthParams,
        BandwidthEvidence,
        "core.loads.memory.bandwidth:BandwidthLoad",
        "core.loads.simulated.memory:SimulatedBandwidth",
    ),
    LoadEntry(
        "host_link",
        HostLinkParams,
        HostLinkEvidence,
        "core.loads.memory.host_link:HostLinkLoad",
        "core.loads.simulated.memory:SimulatedHostLink",
    ),
    LoadEntry(
        "functional_units",
        FunctionalUnitsParams,
        FunctionalUnitsEvidence,
        "core.loads.units.load:FunctionalUnitsLoad",
        "core.loads.simulated.machine:SimulatedFunctionalUnits",
    ),
    LoadEntry(
        "gemm",
        GemmParams,
        GemmEvidence,
        "core.loads.products.gemm:GemmLoad",
        "core.loads.simulated.products:SimulatedGemm",
    ),
    LoadEntry(
        "transients",
        TransientsParams,
        TransientsEvidence,
        "core.loads.products.transients:TransientsLoad",
        "core.loads.simulated.products:SimulatedTransients",
    ),
    LoadEntry(
        "resnet",
        ResnetParams,
        TrainingEvidence,
        "core.loads.training.overfit:ResnetLoad",
        "core.loads.simulated.training:SimulatedResnet",
    ),
    LoadEntry(
        "lstm",
        LstmParams,
        TrainingEvidence,
        "core.loads.training.overfit:LstmLoad",
        "core.loads.simulated.training:SimulatedLstm",
    ),
    LoadEntry(
        "transformer",
        TransformerParams,
        TrainingEvidence,
        "core.loads.training.overfit:TransformerLoad",
        "core.loads.simulated.training:SimulatedTransformer",
    ),
    LoadEntry(
        "own_module",
        OwnModuleParams,
        TrainingEvidence,
        "core.loads.training.own_module:OwnModuleLoad",
        "core.loads.simulated.training:SimulatedOwnModule",
    ),
    LoadEntry(
        "replay",
        ReplayParams,
        ReplayEvidence,
        "core.loads.training.replay:ReplayLoad",
        "core.loads.simulated.training:SimulatedReplay",
    ),
    LoadEntry(
        "p2p",
        P2pParams,
        P2pEvidence,
        "core.loads.group.together:P2pLoad",
        "core.loads.simulated.group:SimulatedP2p",
        together=True,
    ),
    LoadEntry(
        "collectives",
        CollectivesParams,
        CollectivesEvidence,
        "core.loads.group.together:CollectivesLoad",
        "core.loads.simulated.group:SimulatedCollectives",
        together=True,
    ),
    LoadEntry(
        "data_parallel",
        DataParallelLoadParams,
        DataParallelEvidence,
        "core.loads.group.together:DataParallelLoad",
        "core.loads.simulated.group:SimulatedDataParallel",
        together=True,
    ),
    LoadEntry(
        "machine",
        MachineParams,
        MachineEvidence,
        "core.loads.machine.load:MachineLoad",
        "core.loads.simulated.machine:SimulatedMachine",
    ),
)
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
