"""The table of loads: what each is called, what it can be asked, where its classes are; and devices that simulate them.
Free of torch."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from core.loads.evidence import RunEvidence
from core.loads.group import contract as group
from core.loads.inference import contract as inference
from core.loads.load import Bench, Load, RankGroup
from core.loads.machine import contract as machine
from core.loads.memory import contract as memory
from core.loads.params import LoadParams, checked
from core.loads.products import contract as products
from core.loads.simulated import computing as simulated
from core.loads.simulated import inference as simulated_inference
from core.loads.simulated import training as simulated_training
from core.loads.simulated.load import Believable, SimulatedLoad, with_process_faults
from core.loads.simulated.rates import find_model
from core.loads.training import contract as training
from core.loads.units import contract as units
from core.platform.errors import BadInput
from core.words import tr


@dataclass(frozen=True, slots=True)
class LoadEntry:
    """One load. `computes` names its class as "module:class", which is loaded when first needed: it takes (params,
    torch.device). Of one that runs on several devices together it is what each rank does, which takes (params,
    ProcessGroup, how to tell what comes next)."""

    name: str
    computes: str
    params: type[LoadParams]
    evidence: type[RunEvidence]
    simulated: Callable[[SimulatedLoad, Any], Believable]
    least_ranks: int = 0
    """The smallest group that makes sense; 0 for a load that runs on one device alone."""

    @property
    def together(self) -> bool:
        """Whether it runs on several devices together."""
        return self.least_ranks > 0

    def require_together(self) -> None:
        """Raises BadInput for a load that no group of devices runs."""
        if not self.together:
            raise BadInput(tr("A rank cannot do {other!r}.", other=self.name))

    def own_group(self, group: RankGroup | None) -> RankGroup | None:
        """The group for a load that runs in one, None for all others. Raises BadInput where it lacks one."""
        if self.together and group is None:
            raise BadInput(
                tr("The load {name} runs on several devices together and was started on one alone.", name=self.name)
            )
        return group if self.together else None


LOADS: tuple[LoadEntry, ...] = (
    LoadEntry("known_answer", "core.loads.products.known_answer_load:KnownAnswerLoad",
              products.KnownAnswerParams, products.KnownAnswerEvidence, simulated.known_answer),
    LoadEntry("vram", "core.loads.memory.vram:VramLoad",
              memory.VramParams, memory.VramEvidence, simulated.vram),
    LoadEntry("bandwidth", "core.loads.memory.bandwidth:BandwidthLoad",
              memory.BandwidthParams, memory.BandwidthEvidence, simulated.bandwidth),
    LoadEntry("host_link", "core.loads.memory.host_link:HostLinkLoad",
              memory.HostLinkParams, memory.HostLinkEvidence, simulated.host_link),
    LoadEntry("functional_units", "core.loads.units.load:FunctionalUnitsLoad",
              units.FunctionalUnitsParams, units.FunctionalUnitsEvidence, simulated.functional_units),
    LoadEntry("gemm", "core.loads.products.gemm:GemmLoad",
              products.GemmParams, products.GemmEvidence, simulated.gemm),
    LoadEntry("transients", "core.loads.products.transients:TransientsLoad",
              products.TransientsParams, products.TransientsEvidence, simulated.transients),
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
    LoadEntry("inference", "core.loads.inference.load:InferenceLoad",
              inference.InferenceParams, inference.InferenceEvidence, simulated_inference.inference),
    LoadEntry("p2p", "core.loads.group.p2p:P2pWork",
              group.P2pParams, group.P2pEvidence, simulated_training.p2p, least_ranks=2),
    LoadEntry("collectives", "core.loads.group.collectives:CollectivesWork",
              group.CollectivesParams, group.CollectivesEvidence, simulated_training.collectives, least_ranks=2),
    LoadEntry("data_parallel", "core.loads.group.data_parallel:DataParallelWork",
              group.DataParallelLoadParams, group.DataParallelEvidence, simulated_training.data_parallel,
              least_ranks=1),  # a single GPU trains alone, to compare with
    LoadEntry("machine", "core.loads.machine.load:MachineLoad",
              machine.MachineParams, machine.MachineEvidence, simulated.machine),
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


def open_simulated(words: str, *, device_id: str) -> Bench:
    """A simulated device of the model that `words` name: every load of the table in its simulated form."""
    model = find_model(words)
    name = model.title if words.startswith("{") else words

    def make(load: str, params: Mapping[str, Any], group: RankGroup | None = None, /) -> Load:
        entry = load_entry(load)
        chosen = checked(with_process_faults(entry.params), params)
        return SimulatedLoad(entry.simulated, chosen, model, device_id=device_id, group=entry.own_group(group))

    return Bench(f"{name} (SIMULATED)", "simulated", make=make, detail={"simulated": tr("nothing is computed")})
