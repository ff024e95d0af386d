"""Makes torch take the stand-in for the CUDA it was built without, as its modules are imported.

Nothing of torch.cuda is replaced: its own Python runs, upon what a CUDA build has in `torch._C`. The few other places
where a build for CPUs knows better are told here, each by the module that holds it.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

MIB = 2**20


class Finder(importlib.abc.MetaPathFinder):
    """Finds the modules as they are, and changes them once they are there."""

    def __init__(self, changes: dict[str, Callable[[ModuleType], None]]) -> None:
        self._changes = changes

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        change = self._changes.get(name)
        if change is None:
            return None
        if name == "torch._C":
            _before_torch()
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module = _then(spec.loader.exec_module, change)  # type: ignore[method-assign]
        return spec


def _then(load: Callable[[ModuleType], None], change: Callable[[ModuleType], None]) -> Callable[[ModuleType], None]:
    def exec_module(module: ModuleType) -> None:
        load(module)
        change(module)

    return exec_module


def stand_in() -> None:
    """From now on."""
    changes = {
        "torch._C": _bindings,
        "torch": _torch,
        "torch.distributed.distributed_c10d": _collectives,
        "core.loads.training.sizes": _networks,
        "core.loads.device": lambda module: _set(module, KEPT_BYTES=4 * MIB),
        "core.loads.memory.patterns": lambda module: _set(module, GPU_CHUNK_BYTES=4 * MIB),
        "core.loads.memory.vram": lambda module: _set(module, SLACK_BYTES=2 * MIB),
    }
    sys.meta_path.insert(0, Finder(changes))


def _before_torch() -> None:
    """torch asks once, as it starts, who is there for CUDA."""
    import fake_bindings

    fake_bindings.load()


def _bindings(module: ModuleType) -> None:
    import fake_bindings

    fake_bindings.fill(module)


def _torch(torch: Any) -> None:
    import fake_kernels

    torch.version.cuda = "12.8"
    fake_kernels.register()


def _collectives(module: Any) -> None:
    """A group over NCCL is one over gloo that says otherwise; NCCL takes what lies on cards alone."""
    import fake_bindings

    if not fake_bindings.SETTINGS.get("nccl", True):
        return
    begin, named, new = module.init_process_group, module.get_backend, module.new_group
    called: dict[str, bool] = {}

    def init_process_group(backend: str | None = None, *positional: Any, **options: Any) -> None:
        called["nccl"] = backend == "nccl"
        device = options.pop("device_id", None)
        if called["nccl"]:
            fake_bindings.raise_if(fake_bindings.SETTINGS.get("nccl_error"), RuntimeError)
            assert device is None or device.type == "cuda"
        begin("cpu:gloo,cuda:gloo" if called["nccl"] else backend, *positional, **options)

    def get_backend(group: Any = None) -> str:
        whole = group is None or group is module._get_default_group()
        return "nccl" if whole and called.get("nccl") else str(named(group))

    def new_group(*positional: Any, **options: Any) -> Any:
        return new(*positional, **options)

    module.is_nccl_available = lambda: True
    module.init_process_group, module.get_backend, module.new_group = init_process_group, get_backend, new_group


def _set(module: Any, **sizes: int) -> None:
    """Cards of the stand-in have a hundredth of the memory of real ones; what programs keep free of it is as small."""
    for name, size in sizes.items():
        assert hasattr(module, name), f"{module.__name__} has no {name} any more"
        setattr(module, name, size)


def _networks(module: Any) -> None:
    """A card that is computed on a CPU trains small networks."""
    from dataclasses import replace

    small = {
        "GPU_RESNET": {"image": 32, "width": 4, "classes": 10},
        "GPU_LSTM": {"layers": 1, "width": 16, "length": 5, "batch": 4, "vocabulary": 32, "learning_rate": 1e-2},
        "SMALL_GPT": {"layers": 1, "width": 32, "heads": 2, "context": 16, "batch": 4, "vocabulary": 64},
    }
    for name, sizes in small.items():
        setattr(module, name, replace(getattr(module, name), **sizes))
    module.RESNET_SMALLEST, module.RESNET_IMAGES_PER_GIB = 4, 0.0
