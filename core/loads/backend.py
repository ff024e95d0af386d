"""Opens the device that torch shall burn: the GPU that this process was given, or the CPU."""

import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch

from core.loads.blame import Blame, cause_of
from core.loads.load import Bench, Load, RankGroup, unusable
from core.loads.params import checked
from core.loads.table import load_entry, located
from core.platform.processor import cpu_name
from core.words import joined, tr

OLDER_CUDA = "12.6"
"""The last CUDA for which PyTorch was built with kernels for Pascal and Volta (PyTorch 2.8 release notes)."""


def open_cpu(threads: int | None = None) -> Bench:
    """The machine's CPU with all processors that this process may use, or `threads` of them."""
    torch.set_num_threads(threads or usable_processors())
    _wake(torch.device("cpu"))
    detail = {"torch": torch.__version__, "threads": str(torch.get_num_threads())}
    return Bench(cpu_name(), "cpu", make=partial(make_load, device=torch.device("cpu")), detail=detail)


def open_cuda(device_id: str) -> Bench:
    """The GPU with the UUID `device_id`, which the environment has made CUDA's only one."""
    device = torch.device("cuda", 0)
    try:
        problem = _cuda_problem(device_id)
        if problem is not None:
            return unusable(device_id, "cuda", problem)
        properties = torch.cuda.get_device_properties(device)
        _wake(device)
    except (RuntimeError, MemoryError, torch.cuda.DeferredCudaCallError) as error:
        cause = cause_of(error)
        if cause.blame is Blame.DEVICE:
            raise  # the card broke off at its first product: the worker's death is charged to it
        return unusable(
            device_id, "cuda", joined([tr("CUDA cannot use {device_id}.", device_id=device_id), cause.sentence])
        )
    detail = {
        "torch": torch.__version__,
        "cuda": str(torch.version.cuda),
        "capability": f"{properties.major}.{properties.minor}",
        "memory_mb": str(properties.total_memory // 2**20),
        "multiprocessors": str(properties.multi_processor_count),
    }
    if device_id.startswith("MIG-"):
        detail["mig"] = tr("A MIG instance: other instances of the GPU share its power, heat and clocks.")
    return Bench(properties.name, "cuda", make=partial(make_load, device=device), detail=detail)


def usable_processors() -> int:
    """Logical processors that this process may run on: fewer than the machine's in a container or under taskset."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _cuda_problem(device_id: str) -> str | None:
    if not device_id.startswith(("GPU-", "MIG-")):
        return tr(
            "{device_id} is not the UUID of a GPU, and CUDA could pick the wrong one by any other name.",
            device_id=device_id,
        )
    if not torch.backends.cuda.is_built():  # type: ignore[no-untyped-call]
        return tr(
            "This PyTorch ({version}) was built without CUDA. Install a CUDA build to burn in GPUs.",
            version=torch.__version__,
        )
    torch.cuda.init()  # type: ignore[no-untyped-call]
    properties = torch.cuda.get_device_properties(0)
    uuid = str(properties.uuid)
    if device_id.startswith("GPU-") and " MIG " in properties.name:
        return tr(
            "{device_id} is divided by MIG, and cannot be used as a whole. Turn MIG off with nvidia-smi -mig 0.",
            device_id=device_id,
        )
    if device_id.startswith("GPU-") and uuid != device_id.removeprefix("GPU-"):
        fields = {"found": uuid, "device_id": device_id}
        return tr("CUDA opened GPU-{found} although {device_id} was requested; nothing was run on it.", **fields)
    return lacking_kernels((properties.major, properties.minor), torch.cuda.get_arch_list())


def lacking_kernels(capability: tuple[int, int], built_for: Sequence[str]) -> str | None:
    """The sentence for a card that torch was not built for; None where a kernel fits, or nothing is told.

    Machine code ("sm_80") runs on its own major version from its minor one on, text for the driver's compiler
    ("compute_80") on that and everything newer; with a letter only on its own kind (CUDA C++ guide, "Compatibility").
    """
    own = 10 * capability[0] + capability[1]
    for name in built_for:
        kind, _, version = name.partition("_")
        if not version.isdecimal():
            if version[:-1] == str(own):
                return None
        elif int(version) <= own and (kind == "compute" or int(version) // 10 == capability[0]):
            return None
    if not built_for:
        return None
    words = ".".join(map(str, capability))
    older = own < min(int("".join(filter(str.isdecimal, name))) for name in built_for)
    if older:
        fields = {"version": torch.__version__, "capability": words, "cuda": OLDER_CUDA}
        return tr(
            "This PyTorch ({version}) has no kernels for compute capability {capability}: install the CUDA {cuda} "
            "build.",
            **fields,
        )
    fields = {"version": torch.__version__, "capability": words}
    return tr(
        "This PyTorch ({version}) has no kernels for compute capability {capability}: install a newer build.", **fields
    )


def _wake(device: torch.device) -> None:
    """Does now what is done once and takes longer than a heartbeat or a stop may.

    The first product creates the CUDA context and loads cuBLAS, the first optimiser imports 800 modules.
    """
    small = torch.ones((64, 64), device=device)
    torch.mm(small, small)
    torch.optim.AdamW([torch.zeros(1, device=device, requires_grad=True)])
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def make_load(name: str, params: Mapping[str, Any], group: RankGroup | None = None, *, device: torch.device) -> Load:
    """A load by name. Raises BadInput for an unknown name or wrong parameters."""
    entry = load_entry(name)
    own_params, own_group = checked(entry.params, params), entry.own_group(group)
    if own_group is not None:
        from core.loads.group.together import TogetherLoad  # here, since a card is measured without psutil

        return TogetherLoad(entry, own_params, device, group=own_group)
    load: Load = located(entry.computes)(own_params, device)
    return load
