"""Whose fault an error of the framework is: only the device's own fails a card.

Told by the name and the text of the error, because this module does not import the framework. The texts are those of
cudaGetErrorString (CUDA Runtime API, "Error handling" and cudaError_t), of the status names of cuBLAS and cuDNN, and of
ncclGetErrorString. What is not known is not blamed on anything: the load counts as not run.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from core.words import plain, tr


class Blame(StrEnum):
    """Who is at fault."""

    DEVICE = "device"
    """The card computed wrongly, or broke off: it fails."""
    ENVIRONMENT = "environment"
    """Driver, PyTorch build, mode of the card, container, another program: something the user can change."""
    MEMORY = "memory"
    """Memory was short: a smaller load may run."""
    OURS = "ours"
    """Whatever is left: a defect of this program or of the framework, until somebody shows otherwise."""


@dataclass(frozen=True, slots=True)
class ErrorCause:
    """What an error means, in a sentence that says what to do where something can be done."""

    blame: Blame
    sentence: str
    sticky: bool = False
    """Whether every later call of the process gives the same error: only a new process computes again."""


BROKE_OFF = (
    "illegal memory access", "unspecified launch failure", "illegal instruction", "misaligned address",
    "hardware stack error", "invalid program counter", "operation not supported on global/shared address space",
    "the launch timed out", "device-side assert", "uncorrectable ECC error", "uncorrectable NVLink error",
    "CUBLAS_STATUS_EXECUTION_FAILED", "CUBLAS_STATUS_MAPPING_ERROR", "CUDNN_STATUS_EXECUTION_FAILED",
)  # fmt: skip
"""A kernel of ours did not come to its end. The kernels and their indices are the same on every card, so it is the
card's doing. CUDA lets such a process do nothing more (cudaError_t asks to end it and start another)."""
LOST = ("GPU is lost", "fallen off the bus", "device has been lost")
MEMORY_SHORT = (
    "out of memory", "can't allocate memory", "Cannot allocate memory", "not enough memory",
    "CUBLAS_STATUS_ALLOC_FAILED", "CUDNN_STATUS_ALLOC_FAILED", "CUSOLVER_STATUS_ALLOC_FAILED",
    "CUBLAS_STATUS_NOT_INITIALIZED",
)  # fmt: skip
"""cuBLAS says that it is not initialised where its handle found no room (torch makes one for each stream)."""
ALLOCATOR_ASSERT = re.compile(r"NVML_SUCCESS == r INTERNAL ASSERT|INTERNAL ASSERT FAILED.*CUDACachingAllocator")
"""The caching allocator asks NVML who holds the memory, and stumbles, before it can say that memory is short."""
MODE = tr(
    "The GPU is held by another process, or in a compute mode that keeps others out: "
    "end that process, or set the mode with nvidia-smi -c 0."
)
SHARED_MEMORY = tr(
    "Give it more shared memory (docker run --ipc=host or --shm-size=8g) and check that /dev/shm is writable."
)
NEWER_DRIVER = tr("Install an NVIDIA driver that fits this PyTorch's CUDA version, and restart the machine.")
OTHER_BUILD = tr("Install a PyTorch build with kernels for this GPU.")
RESTART_FABRIC = tr("Start nvidia-fabricmanager, or restart the machine.")
SAME_VERSIONS = tr("Reinstall PyTorch in an environment of its own, so that its CUDA libraries are all of one version.")
SEEN_BY_DRIVER = tr("Check nvidia-smi, and that this user or container may use the GPU.")
AWAKE = tr("Check nvidia-smi; restart the machine if it was asleep or its driver was updated.")
NCCL_LOG = tr("See the *.nccl-*.log files beside the run.")

ENVIRONMENT = (
    ("busy or unavailable", MODE),
    ("exclusive-thread", MODE),
    ("no kernel image is available", OTHER_BUILD),
    ("device kernel image is invalid", OTHER_BUILD),
    ("_STATUS_ARCH_MISMATCH", OTHER_BUILD),
    ("unsupported toolchain", NEWER_DRIVER),
    ("PTX JIT compil", NEWER_DRIVER),
    ("driver version is insufficient", NEWER_DRIVER),
    ("driver on your system is too old", NEWER_DRIVER),
    ("unsupported display driver / cuda driver combination", NEWER_DRIVER),
    ("forward compatibility was attempted", NEWER_DRIVER),
    ("Found no NVIDIA driver", NEWER_DRIVER),
    ("system not yet initialized", RESTART_FABRIC),
    ("No CUDA GPUs are available", SEEN_BY_DRIVER),
    ("no CUDA-capable device", SEEN_BY_DRIVER),
    ("CUDA unknown error", AWAKE),
    ("initialization error", AWAKE),
    ("MPS ", tr("Restart the CUDA Multi-Process Service, or end it.")),
    ("No space left on device", SHARED_MEMORY),
    ("/dev/shm", SHARED_MEMORY),
    ("ncclSystemError", SHARED_MEMORY),
    ("unhandled system error", SHARED_MEMORY),
    ("ncclInternalError", NCCL_LOG),
    ("ncclUnhandledCudaError", NCCL_LOG),
    ("unhandled cuda error", NCCL_LOG),
    ("cannot open shared object file", SAME_VERSIONS),
    ("undefined symbol", SAME_VERSIONS),
    ("CUDNN_STATUS_NOT_INITIALIZED", SAME_VERSIONS),
    ("CUDNN_STATUS_SUBLIBRARY", SAME_VERSIONS),
)
"""Signs of what the user can change, with what to do. The first that is found counts."""
UNSURE_OF_ITSELF = ("CUDA error: unknown error", "CUBLAS_STATUS_INTERNAL_ERROR", "CUDNN_STATUS_INTERNAL_ERROR")
"""Nobody is blamed for these, but the process is not trusted any further."""


def cause_of(error: BaseException) -> ErrorCause:
    """Who is at fault, and what to do. An error that was raised because of a sticky one is sticky, too."""
    sticky = any(_has(str(one), (*BROKE_OFF, *LOST, *UNSURE_OF_ITSELF)) for one in _chain(error))
    words = detail(error)
    if out_of_memory(error):
        return ErrorCause(Blame.MEMORY, tr("Not enough free memory: {told}.", told=words), sticky)
    text = str(error)
    if _has(text, (*BROKE_OFF, *LOST)):
        return ErrorCause(Blame.DEVICE, tr("The load ended with an error: {told}", told=words), sticky)
    for sign, advice in ENVIRONMENT:
        if sign in text:
            return ErrorCause(Blame.ENVIRONMENT, plain("{told}. {advice}", told=words, advice=advice), sticky)
    return ErrorCause(
        Blame.OURS,
        tr("The load ended with an error that is not blamed on any card: {told}. Please report it.", told=words),
        sticky,
    )


def out_of_memory(error: BaseException) -> bool:
    """Whether memory was short."""
    text = str(error)
    named = isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"
    return named or _has(text, MEMORY_SHORT) or ALLOCATOR_ASSERT.search(text) is not None


def first_line(error: BaseException) -> str:
    """The first line of an error's text, or its type where it has none."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def detail(error: BaseException) -> str:
    """The line that says most, without its full stop: NCCL tells what happened after "Last error:"."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    last = next((place for place, line in enumerate(lines) if line.startswith("Last error:")), None)
    if last is None:
        return first_line(error).rstrip(". ")
    named = next((line for line in lines if line.startswith("nccl")), "NCCL").partition(":")[0]
    last_error = " ".join([lines[last].removeprefix("Last error:").strip(), *lines[last + 1 : last + 2]]).strip()
    return f"{named}: {last_error}".rstrip(".: ")


def _chain(error: BaseException | None) -> list[BaseException]:
    chain: list[BaseException] = []
    while error is not None and error not in chain:
        chain.append(error)
        error = error.__cause__
    return chain


def _has(text: str, signs: tuple[str, ...]) -> bool:
    return any(sign in text for sign in signs)
