"""The ranks that have met: what they tell each other besides the work itself, and the frame of that work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

import torch
import torch.distributed as dist

from core.loads.verified_load import DeviceLoad, Params
from core.platform.protocol import Message

LATER_S = 30.0
"""The framework gives up so much later than the worker, which tells in words what hung."""


@dataclass(frozen=True, slots=True)
class ProcessGroup:
    """All ranks of a load, seen from one of them. `quiet` carries small messages on the host, beside the work."""

    rank: int
    size: int
    device: torch.device
    quiet: dist.ProcessGroup

    @classmethod
    def met(cls, order: Message) -> ProcessGroup:
        """Waits for all ranks. Raises RuntimeError when they do not come."""
        cuda = order["device"] == "cuda"
        device = torch.device("cuda", 0) if cuda else torch.device("cpu")
        limit = timedelta(seconds=float(order["timeout_s"]) + LATER_S)
        rank, size = int(order["rank"]), int(order["size"])
        dist.init_process_group(
            _backend(cuda),
            store=dist.FileStore(order["meeting"], size),  # type: ignore[attr-defined]
            rank=rank,
            world_size=size,
            timeout=limit,
            device_id=device if cuda and _backend(cuda) == "nccl" else None,
        )
        quiet = dist.new_group(backend="gloo", timeout=limit)
        assert isinstance(quiet, dist.ProcessGroup)
        group = cls(rank, size, device, quiet)
        # Else one that refuses its work could be gone while others are still being connected with it.
        group.agree(True)
        return group

    @property
    def over_the_host(self) -> bool:
        """Whether GPUs meet through the host: gloo then only adds up and broadcasts (PyTorch, table of backends)."""
        return self.device.type == "cuda" and dist.get_backend() != "nccl"

    def agree(self, go_on: bool) -> bool:
        """Whether all want to go on; the same answer everywhere."""
        consent = torch.tensor([int(go_on)])
        dist.all_reduce(consent, op=dist.ReduceOp.MIN, group=self.quiet)
        return bool(consent.item())

    def gathered(self, values: Sequence[float]) -> list[list[float]]:
        """The numbers of every rank, in the order of the ranks; all give equally many."""
        return self._gathered(torch.tensor(values, dtype=torch.float64))

    def gathered_words(self, values: Sequence[int]) -> list[list[int]]:
        """The same for whole numbers below 2**64, which no floating-point number holds."""
        signed = torch.tensor([value - 2**64 if value >= 2**63 else value for value in values], dtype=torch.int64)
        return [[int(value) % 2**64 for value in row] for row in self._gathered(signed)]

    def part(self) -> None:
        """Waits until all have done their work."""
        self.agree(True)

    def _gathered(self, own: torch.Tensor) -> list[list[float]]:
        rows = [torch.empty_like(own) for _ in range(self.size)]
        dist.all_gather(rows, own, group=self.quiet)
        return [row.tolist() for row in rows]


Say = Callable[[str], None]
"""Tells what comes next, in words that begin a sentence."""


class GroupWork(DeviceLoad[Params]):
    """One rank's part. It may block: its worker watches over it. All ranks take the same steps, and agree on the last
    one; each judges what it has seen. None can be smaller: all must do the same."""

    def __init__(self, params: Params, group: ProcessGroup, say: Say) -> None:
        self._group = group
        self._say = say
        super().__init__(params, group.device)


def dissolve() -> None:
    """Lets go of the group, so that another can be made."""
    if dist.is_initialized():
        dist.destroy_process_group()


def _backend(cuda: bool) -> str:
    """NCCL where there is one; without it GPUs meet over the host."""
    return "nccl" if cuda and dist.is_nccl_available() else "gloo"
