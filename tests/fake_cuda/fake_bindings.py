"""What a CUDA build of torch has in `torch._C`: the driver's and the runtime's side of torch.cuda.

The settings are JSON in FAKE_CUDA, see stand_in.py. Cards are those that CUDA_VISIBLE_DEVICES leaves.
"""

import ctypes
import json
import os
import time
from types import ModuleType, SimpleNamespace
from typing import Any

SETTINGS: dict[str, Any] = json.loads(os.environ.get("FAKE_CUDA", "{}"))
MIB = 2**20
LATE_S = 0.0005
"""An event has come so much later than it was recorded: a card is never as far as its host. How long the card worked is
told by a clock of its own, so that its speed is the same however busy the machine is."""
CUDA = 1
"""The number of CUDA among torch's types of device."""


class Library:
    """The C functions of cards.cpp."""

    def __init__(self, path: str) -> None:
        self._all = ctypes.CDLL(path, mode=ctypes.RTLD_LOCAL)
        number, size, text, real = ctypes.c_int, ctypes.c_int64, ctypes.c_char_p, ctypes.c_double
        takes = {
            "add": (size, size, text),
            "open": (size,),
            "shared": (number,),
            "break": (number, text, size, text),
            "spoil": (number, text, size),
            "free": (number,),
            "allocated": (number,),
            "reserved": (number,),
            "peak": (number,),
            "forget_peak": (number,),
            "choose": (number,),
            "pace": (number, real, real, real),
            "clock": (number, size),
            "await": (number, size, real),
        }
        for name, types in takes.items():
            self[name].argtypes = types
        for name in ("free", "allocated", "reserved", "peak"):
            self[name].restype = size
        self["error"].restype = text
        self["clock"].restype = real

    def __getitem__(self, name: str) -> Any:
        return getattr(self._all, f"fake_cuda_{name}")


_LOADED: list[Library] = []


def load() -> None:
    """To be called before torch's own libraries are."""
    _LOADED.append(Library(SETTINGS["library"]))


def raise_if(sentence: str | None, kind: type[Exception]) -> None:
    """Raises the error with this sentence, where there is one."""
    if sentence:
        raise kind(sentence)


class Bindings:
    """Functions with the names of the stubs in torch/_C/__init__.pyi, without their underscores."""

    def __init__(self, torch_c: Any) -> None:
        self._torch_c = torch_c
        self._library = _LOADED[0]
        self._cards = _visible(SETTINGS["cards"], os.environ.get("CUDA_VISIBLE_DEVICES"))
        self._open = False
        for number, card in enumerate(self._cards):
            ledger = str(card.get("ledger", ""))
            self._library["add"](card["memory_mib"] * MIB, card.get("outside_mib", 0) * MIB, ledger.encode())
            if "pace" in card:
                self._library["pace"](number, *card["pace"])
            for name in ("break", "spoil"):
                if name in card:
                    arguments = [word.encode() if isinstance(word, str) else word for word in card[name]]
                    self._library[name](number, *arguments)

    # -- the driver ---------------------------------------------------------------------------------------------------

    def _cuda_init(self) -> None:
        raise_if(SETTINGS.get("driver_error"), RuntimeError)
        if not self._cards:
            raise RuntimeError("No CUDA GPUs are available")
        import torch

        if SETTINGS.get("exclusive") and any(self._library["shared"](i) for i in range(len(self._cards))):
            raise self._torch_c.AcceleratorError("CUDA error: CUDA-capable device(s) is/are busy or unavailable")
        self._library["open"](int(SETTINGS.get("context_mib", 0)) * MIB)
        self._open = True
        cuda: Any = torch.cuda
        cuda._get_device_properties = lambda device: properties(self._cards[device])
        cuda.default_generators = tuple(torch.Generator(f"cuda:{i}") for i in range(len(self._cards)))

    def _cuda_isInBadFork(self) -> bool:
        return False

    def _cuda_getDeviceCount(self) -> int:
        return 0 if SETTINGS.get("driver_error") else len(self._cards)

    def _cuda_getArchFlags(self) -> str | None:
        return str(SETTINGS.get("arch", "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120 compute_120"))

    def _cuda_getCompiledVersion(self) -> int:
        return 12080

    def _cuda_getDevice(self) -> int:
        return int(self._library["current"]())

    def _cuda_setDevice(self, device: int) -> None:
        self._check()
        if not 0 <= device < len(self._cards):
            raise self._torch_c.AcceleratorError("CUDA error: invalid device ordinal")
        self._library["choose"](device)

    def _cuda_exchangeDevice(self, device: int) -> int:
        before = self._cuda_getDevice()
        if device >= 0:
            self._cuda_setDevice(device)
        return before

    def _cuda_maybeExchangeDevice(self, device: int) -> int:
        return self._cuda_exchangeDevice(device)

    def _cuda_canDeviceAccessPeer(self, device: int, peer_device: int) -> bool:
        return bool(SETTINGS.get("peer", True)) and device != peer_device

    def _cuda_synchronize(self) -> None:
        self._check()

    # -- memory -------------------------------------------------------------------------------------------------------

    def _cuda_emptyCache(self) -> None:
        self._check()
        self._library["give_back"]()

    def _host_emptyCache(self) -> None:
        self._check()

    def _cuda_clearCublasWorkspaces(self) -> None:
        self._check()

    def _cuda_memoryStats(self, device: int) -> dict[str, Any]:
        now = {name: int(self._library[name](device)) for name in ("allocated", "reserved")}
        statistics = {
            f"{name}_bytes": {"all": {"current": held, "peak": held, "allocated": held, "freed": 0}}
            for name, held in now.items()
        }
        statistics["allocated_bytes"]["all"]["peak"] = int(self._library["peak"](device))
        return statistics

    def _cuda_resetPeakMemoryStats(self, device: int) -> None:
        self._check()
        self._library["forget_peak"](device)

    def _cuda_resetAccumulatedMemoryStats(self, device: int) -> None:
        self._check()

    def memory_info(self, device: int) -> tuple[int, int]:
        """Free bytes, and all of them."""
        self._check()
        return int(self._library["free"](device)), self._cards[device]["memory_mib"] * MIB

    # -- cuDNN ---------------------------------------------------------------------------------------------------------

    def _cuda_get_cudnn_benchmark_limit(self) -> int:
        return 10

    def _cuda_set_cudnn_benchmark_limit(self, arg: int) -> None:
        self._check()

    # -- NCCL ---------------------------------------------------------------------------------------------------------

    def _nccl_version(self) -> int:
        return 2 << 32 | 27 << 16 | 3

    def _nccl_version_suffix(self) -> bytes:
        return b""

    # -- streams ------------------------------------------------------------------------------------------------------

    def _cuda_getCurrentStream(self, device: int) -> tuple[int, int, int]:
        number = self._cuda_getDevice() if device < 0 else device
        import torch

        return int(torch._C._accelerator_getStream(number).stream_id), number, CUDA

    def _cuda_getCurrentRawStream(self, device: int) -> int:
        return self._cuda_getCurrentStream(device)[0]

    def _cuda_getDefaultStream(self, device: int) -> tuple[int, int, int]:
        return 0, self._cuda_getDevice() if device < 0 else device, CUDA

    def _cuda_setStream(self, stream_id: int, device_index: int, device_type: int) -> None:
        import torch

        self._check()
        stream = torch.Stream(stream_id=stream_id, device_index=device_index, device_type=device_type)
        torch._C._accelerator_setStream(stream)

    def _cuda_sleep(self, cycles: int) -> None:
        time.sleep(cycles / 1.5e9)

    def _cuda_isCurrentStreamCapturing(self) -> bool:
        return False

    def _cuda_ipc_collect(self) -> None:
        self._check()

    def clock_s(self, stream: Any) -> float:
        """How far a stream has come, by its card's own clock."""
        return float(self._library["clock"](stream.device_index, stream.stream_id))

    def wait_until(self, stream: Any, clock_s: float) -> None:
        """A stream does nothing before its card's clock shows this."""
        self._library["await"](stream.device_index, stream.stream_id, clock_s)

    def no_graphs(self) -> tuple[int, int]:
        """The stand-in captures none."""
        raise NotImplementedError

    def check(self) -> None:
        """Raises the error that every call raises once a kernel broke off."""
        self._check()

    def _check(self) -> None:
        if sticky := self._library["error"]().decode():
            raise self._torch_c.AcceleratorError(f"CUDA error: {sticky}")


def properties(card: dict[str, Any]) -> SimpleNamespace:
    """What a card is, by the names of torch; those that this driver or torch lacks are left out."""
    major, minor = card["capability"]
    fields = {
        "name": card["name"],
        "major": major,
        "minor": minor,
        "multi_processor_count": card.get("multiprocessors", 82),
        "total_memory": card["memory_mib"] * MIB,
        "uuid": card["uuid"].partition("-")[2],
        "L2_cache_size": card.get("cache_kib", 1024) * 1024,
        "memory_clock_rate": card.get("memory_khz", 52_000),
        "memory_bus_width": 384,
        "clock_rate": 1_695_000,
        "warp_size": 32,
        "is_integrated": 0,
        "is_multi_gpu_board": 0,
        "max_threads_per_multi_processor": 1536,
        "shared_memory_per_block": 48 * 1024,
        "shared_memory_per_multiprocessor": 100 * 1024,
        "regs_per_multiprocessor": 65536,
        "pci_domain_id": 0,
        "pci_bus_id": card.get("bus", 1),
        "pci_device_id": 0,
        "gcnArchName": "",
    }
    return SimpleNamespace(**{name: value for name, value in fields.items() if name not in card.get("lacks", ())})


def _visible(cards: list[dict[str, Any]], chosen: str | None) -> list[dict[str, Any]]:
    if chosen is None:
        return cards
    visible = []
    for word in filter(None, chosen.split(",")):
        named = [card for number, card in enumerate(cards) if card["uuid"].startswith(word) or str(number) == word]
        if len(named) != 1:
            break  # as CUDA does: whatever follows an invalid word is not seen either
        visible += named
    return visible


def fill(module: ModuleType) -> None:
    """Gives torch._C what it lacks."""
    torch_c: Any = module
    bindings = Bindings(torch_c)
    for name in dir(Bindings):
        if name.startswith(("_cuda_", "_host_", "_nccl_")):
            setattr(torch_c, name, getattr(bindings, name))
    # Graphs are not offered: the names must be there for torch.cuda to be imported.
    torch_c._CUDAGraph, torch_c._graph_pool_handle = type("_CUDAGraph", (), {}), bindings.no_graphs
    torch_c._has_cuda = torch_c._has_cudnn = True
    torch_c._cudnn = _CUDNN
    torch_c._CudaDeviceProperties = SimpleNamespace
    torch_c._cudart = _Runtime(bindings)
    torch_c._CudaStreamBase = stream_class(torch_c, bindings)
    torch_c._CudaEventBase = event_class(torch_c, bindings)


_CUDNN = SimpleNamespace(
    is_cuda=True,
    getVersionInt=lambda: 91_000,
    getCompileVersion=lambda: (9, 10, 0),
    getRuntimeVersion=lambda: (9, 10, 0),
)


class _Runtime:
    """The CUDA runtime as torch.cuda.cudart() gives it."""

    def __init__(self, bindings: Bindings) -> None:
        self.cudaMemGetInfo = bindings.memory_info
        self.cudaError = SimpleNamespace(success=0)

    def cudaGetErrorString(self, code: int) -> str:
        return f"error {code} of the stand-in"


def stream_class(torch_c: Any, bindings: Bindings) -> type:
    class _CudaStreamBase(torch_c.Stream):  # type: ignore[misc]
        def __new__(cls, priority: int = 0, **options: int) -> Any:
            bindings.check()
            if options:
                return super().__new__(cls, **{**options, "device_type": CUDA})
            return super().__new__(cls, device=f"cuda:{bindings._cuda_getDevice()}", priority=priority)

        @property
        def cuda_stream(self) -> int:
            return int(self.stream_id)

        @property
        def priority(self) -> int:
            return 0

        def query(self) -> bool:
            bindings.check()
            return True

        def synchronize(self) -> None:
            bindings.check()

        def priority_range(self) -> tuple[int, int]:
            return 0, -5

    return _CudaStreamBase


def event_class(torch_c: Any, bindings: Bindings) -> type:
    class _CudaEventBase(torch_c.Event):  # type: ignore[misc]
        def __new__(
            cls, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False, external: bool = False
        ) -> Any:
            made = super().__new__(cls, "cuda", enable_timing=enable_timing, blocking=blocking)
            made.timed = enable_timing
            made.at = made.clock_s = None
            return made

        @property
        def cuda_event(self) -> int:
            return id(self)

        def record(self, stream: Any) -> None:
            bindings.check()
            self.at, self.clock_s = time.perf_counter(), bindings.clock_s(stream)

        def wait(self, stream: Any) -> None:
            bindings.check()
            if self.clock_s is not None:
                bindings.wait_until(stream, self.clock_s)

        def query(self) -> bool:
            bindings.check()
            return self.at is None or time.perf_counter() >= self.at + LATE_S

        def elapsed_time(self, other: Any) -> float:
            if not (self.timed and other.timed):
                raise ValueError("Both events must be created with argument 'enable_timing=True'.")
            if self.clock_s is None or other.clock_s is None:
                raise ValueError("Both events must be recorded before calculating elapsed time.")
            return 1e3 * max(float(other.clock_s - self.clock_s), 1e-6)

        def synchronize(self) -> None:
            bindings.check()
            if self.at is not None:
                time.sleep(max(self.at + LATE_S - time.perf_counter(), 0.0))

        def ipc_handle(self) -> bytes:
            raise NotImplementedError

    return _CudaEventBase
