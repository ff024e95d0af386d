"""One device's part in a load of several: it starts its rank, passes on what that reports, and never hangs with it.

A rank waits for the others inside the framework, where no stop reaches it. So it is a process of its own: this side
keeps reporting, sees who is missing, and ends the rank whatever it is doing. A CPU alone makes two ranks.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch

from core.loads.evidence import read
from core.loads.group.contract import GroupEvidence, GroupParams
from core.loads.group.rank_process import RankProcess, Roll, rank_environment
from core.loads.load import Ending, Fault, FaultKind, LoadStatus, RankGroup, StepReport
from core.loads.params import LoadParams
from core.loads.table import LoadEntry
from core.platform.errors import EnvironmentProblem
from core.platform.processes import is_stopped
from core.platform.protocol import ALIVE_EVERY_S, Message
from core.words import joined, tr

CPU_RANKS = 2
POLL_S = 0.02
SIGN_OF_LIFE_S = 0.2
JOIN_WITHIN_S = 120.0
"""Importing torch from a cold disk in many processes at once takes its time."""
LOOK_EVERY_S = 0.5
GONE_GRACE_S = 1.0
"""One that left in order may have left what it owed; after so long nothing more comes."""
WORST_FIRST = (LoadStatus.FAILED, LoadStatus.NOT_RUN, LoadStatus.STOPPED, LoadStatus.PASSED)


DEFECT = tr("This is a bug in Rigwright, not a card's fault: please report it.")


@dataclass(slots=True)
class _Rank:
    """What is known of one rank of this device."""

    process: RankProcess
    heard_s: float
    joined: bool = False
    doing: str = tr("The first rendezvous")
    ending: Ending | None = None
    errors: int = 0
    checks: int = 0


@dataclass(slots=True)
class _State:
    """Of one run from its start."""

    ranks: list[_Rank] = field(default_factory=list)
    cut: Ending | None = None
    """Why it ended without the ranks' own endings."""
    may_hang_by_p2p: bool = False
    """Whether direct access between the GPUs may be why it failed: without it the group can be tried once more."""
    gone_s: float | None = None


class TogetherLoad:
    """A load of a group, as the table has it."""

    def __init__(self, entry: LoadEntry, params: LoadParams, device: torch.device, *, group: RankGroup) -> None:
        assert isinstance(params, GroupParams)
        alone = device.type != "cuda" and group.size == 1
        self._entry = entry
        self._params = params
        self._device = device
        self._group = group
        self._size = CPU_RANKS if alone else group.size
        self._own = list(range(CPU_RANKS)) if alone else [group.rank]
        if self._size < entry.least_ranks:
            fields = {"least": entry.least_ranks, "size": self._size}
            raise EnvironmentProblem(tr("It takes {least} GPUs or more; this machine has {size}.", **fields))
        self._state = _State()

    def shrink(self) -> bool:
        """Never: all ranks must do the same."""
        return False

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """Passes on what the ranks of this device report, with signs of life while they wait for others."""
        if self._device.type == "cuda":
            torch.cuda.empty_cache()
        until = time.monotonic() + seconds
        meeting = Path(self._group.meeting)
        roll, state = Roll(meeting, self._size), _State()
        self._state = state
        try:
            for rank in self._own:
                state.ranks.append(self._started(rank, meeting, until))
                roll.enter(rank, state.ranks[-1].process.pid)
            yield from self._watched(state, roll)
        finally:
            self._ended(state, roll)

    def finish(self) -> Ending:
        """The worst ending of the ranks of this device, or why it was cut short."""
        endings = [rank.ending for rank in self._state.ranks if rank.ending]
        evidence = self._evidence(endings)
        if self._state.cut is not None:
            again = {"p2p": False} if self._state.may_hang_by_p2p else None
            return Ending(self._state.cut.status, self._state.cut.reason, replace(evidence, retry_with=again))
        if not endings or len(endings) < len(self._own):
            return Ending(LoadStatus.NOT_RUN, tr("Ended before the devices had done their work together."), evidence)
        worst = min(endings, key=lambda ending: WORST_FIRST.index(ending.status))
        return Ending(worst.status, worst.reason, evidence)

    # -- the ranks ------------------------------------------------------------------------------------------------

    def _started(self, rank: int, meeting: Path, until: float) -> _Rank:
        threads = None
        if self._device.type != "cuda":
            threads = max(1, torch.get_num_threads() // len(self._own))
        process = RankProcess(rank, rank_environment(meeting, rank, p2p=self._params.p2p, threads=threads))
        # Of several ranks on one device only the last makes a fault on purpose: the first must not show it.
        blameless = {"inject": ""} if rank != self._own[-1] else {}
        process.order(
            work=self._entry.name,
            params=self._params.model_dump(mode="json") | blameless,
            until=until,
            rank=rank,
            size=self._size,
            meeting=str(meeting),
            device=self._device.type,
            timeout_s=self._params.timeout_s,
            dead_man=self._group.dead_man,
        )
        return _Rank(process, time.monotonic())

    def _watched(self, state: _State, roll: Roll) -> Iterator[StepReport]:
        looked_s = alive_s = beat_s = time.monotonic()
        while state.cut is None and any(rank.ending is None for rank in state.ranks):
            for rank in state.ranks:
                while state.cut is None and (message := rank.process.next()) is not None:
                    alive_s = time.monotonic()
                    yield self._taken(state, rank, message)
            now = time.monotonic()
            if now - beat_s > ALIVE_EVERY_S:
                beat_s = now
                for rank in state.ranks:
                    rank.process.beat()
            if now - looked_s > LOOK_EVERY_S:
                looked_s = now
                yield from self._looked(state, roll, now)
            if now - alive_s > SIGN_OF_LIFE_S:
                alive_s = now
                yield StepReport()
            time.sleep(POLL_S)

    def _taken(self, state: _State, rank: _Rank, message: Message) -> StepReport:
        rank.heard_s = time.monotonic()
        match message["type"]:
            case "joined":
                rank.joined = True
            case "doing":
                rank.doing = message["what"]
            case "step":
                return _counted(rank, message)
            case "cut_off":
                fields = {"doing": rank.doing, "reason": message["reason"].rstrip(".")}
                self._cut_short(state, tr("{doing} was cut short: {reason}.", **fields))
            case "done":
                rank.ending = Ending(
                    LoadStatus(message["status"]), message["reason"], read(self._entry.evidence, message["evidence"])
                )
            case "ended" if rank.ending is None:
                return self._died(state, rank)
        return StepReport()

    def _died(self, state: _State, rank: _Rank) -> StepReport:
        how = tr("{doing} ended with the {ending}.", doing=rank.doing, ending=rank.process.ending())
        if rank.process.raised:
            self._cut_short(state, joined([how, DEFECT]))
            return StepReport()
        if rank.process.killed_from_outside or rank.process.ended_unsupervised:
            self._cut_short(state, how)
            return StepReport()
        return self._failed(state, how)

    # -- the others -----------------------------------------------------------------------------------------------

    def _looked(self, state: _State, roll: Roll, now: float) -> Iterator[StepReport]:
        """Whether all are there, and whether anything still moves."""
        gone = {rank: why for rank, why in roll.gone().items() if rank not in self._own}
        if gone and state.gone_s is None:
            state.gone_s = now
        if gone and state.gone_s is not None and now - state.gone_s > GONE_GRACE_S:
            rank, why = next(iter(gone.items()))
            self._cut_short(state, tr("{device} left the group: {why}.", device=self._name(rank), why=why.rstrip(".")))
            return
        for own in state.ranks:
            silent_s = now - own.heard_s
            if own.ending is not None:
                continue
            if is_stopped(own.process.pid):  # it would keep all other ranks waiting
                whose = self._name(own.process.rank)
                fields = {"pid": own.process.pid, "whose": whose}
                self._cut_short(state, tr("Process {pid} of {whose} was frozen from outside (SIGSTOP).", **fields))
                return
            if not own.joined and silent_s > JOIN_WITHIN_S:
                self._cut_short(state, self._not_met(roll))
                return
            if own.joined and silent_s > self._params.timeout_s:
                yield self._failed(state, self._hung(own))
                return

    def _not_met(self, roll: Roll) -> str:
        absent = [self._name(rank) for rank in roll.absent()]
        if absent:
            fields = {"devices": ", ".join(absent), "seconds": JOIN_WITHIN_S}
            return tr("{devices} did not join within {seconds:.0f} s.", **fields)
        return tr("All devices started, but they did not connect within {seconds:.0f} s.", seconds=JOIN_WITHIN_S)

    def _hung(self, rank: _Rank) -> str:
        """What to do about it: over PCIe a hang is mostly one of direct access (NVIDIA/nccl issues 257 and 631)."""
        what = tr("{doing} did not return within {seconds:.0f} s.", doing=rank.doing, seconds=self._params.timeout_s)
        if self._device.type != "cuda":
            return what
        if not self._params.p2p:
            return joined([what, tr("Direct access between the GPUs was off.")])
        advice = tr(
            "Direct access between the GPUs may be broken by ACS or the IOMMU: run the stage again with p2p = false; "
            "if it passes then, turn ACS off or set iommu=pt."
        )
        return joined([what, advice])

    def _name(self, rank: int) -> str:
        return self._group.devices[rank] if rank < len(self._group.devices) else tr("rank {rank}", rank=rank)

    # -- the end --------------------------------------------------------------------------------------------------

    def _cut_short(self, state: _State, why: str) -> None:
        """Nothing that this device can be blamed for."""
        state.cut = state.cut or Ending(LoadStatus.NOT_RUN, why)

    def _failed(self, state: _State, why: str) -> StepReport:
        if state.cut is None:
            state.cut = Ending(LoadStatus.FAILED, why)
            state.may_hang_by_p2p = self._device.type == "cuda" and self._params.p2p
        return StepReport(faults=(Fault(FaultKind.ERROR, why),))

    def _ended(self, state: _State, roll: Roll) -> None:
        """Ends the processes of all ranks of this device and tells the others."""
        for rank in state.ranks:
            rank.process.end()
        for rank in state.ranks:
            fine = rank.ending is not None and rank.ending.status in (LoadStatus.PASSED, LoadStatus.FAILED)
            why = rank.ending.reason if rank.ending else state.cut.reason if state.cut else tr("it was stopped")
            roll.leave(rank.process.rank, why, done=fine)

    def _evidence(self, endings: list[Ending]) -> GroupEvidence:
        """That of the first rank of this device, with the counts of all of them."""
        first = next((evidence for ending in endings if isinstance(evidence := ending.evidence, GroupEvidence)), None)
        injected = [one for ending in endings if (one := ending.evidence.injected_on_purpose) is not None]
        return replace(
            first or GroupEvidence(),
            ranks=self._size,
            devices=self._group.devices,
            seed=self._params.seed,
            p2p=self._params.p2p if self._device.type == "cuda" else None,
            checks=sum(rank.checks for rank in self._state.ranks),
            errors=sum(rank.errors for rank in self._state.ranks),
            injected_on_purpose=max(injected, key=lambda one: one.times or 0, default=None),
        )


def _counted(rank: _Rank, message: Message) -> StepReport:
    """A step of a rank as one of this device."""
    fields = {name: value for name, value in message.items() if name not in ("type", "faults")}
    faults = tuple(Fault(FaultKind(kind), text, count) for kind, text, count in message["faults"])
    report = StepReport(**fields, faults=faults)
    rank.checks += report.checks
    rank.errors += sum(fault.count for fault in faults)
    return report
