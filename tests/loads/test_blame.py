"""Whose fault an error is: only what the device did itself may fail a card."""

import pytest
import torch

from core.loads.blame import Blame, cause_of
from core.platform.errors import BadInput

NCCL = "NCCL error in: ProcessGroupNCCL.cpp:3353, {}, NCCL version 2.27.5\n{}\nLast error:\n{}"
SHM = NCCL.format(
    "unhandled system error (run with NCCL_DEBUG=INFO for details)",
    "ncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error. ",
    "Error while creating shared memory segment /dev/shm/nccl-x (size 9637888), error: No space left on device (28)",
)
NCCL_MEMORY = NCCL.format(
    "unhandled cuda error", "ncclUnhandledCudaError: Call to CUDA function failed.", "Cuda failure 2 'out of memory'"
)
NCCL_DEVICE = NCCL.format(
    "unhandled cuda error",
    "ncclUnhandledCudaError: Call to CUDA function failed.",
    "Cuda failure 700 'an illegal memory access was encountered'",
)
NCCL_CUDA = NCCL.format(
    "unhandled cuda error", "ncclUnhandledCudaError: Call to CUDA function failed.", "Cuda failure 801"
)
CASES = [
    ("CUDA error: an illegal memory access was encountered\nCompile with ...", Blame.DEVICE, True),
    ("CUDA error: device-side assert triggered", Blame.DEVICE, True),
    ("CUDA error: unspecified launch failure", Blame.DEVICE, True),
    ("CUDA error: misaligned address", Blame.DEVICE, True),
    ("CUDA error: the launch timed out and was terminated", Blame.DEVICE, True),
    ("CUDA error: uncorrectable ECC error encountered", Blame.DEVICE, True),
    ("CUDA error: uncorrectable NVLink error detected during the execution", Blame.DEVICE, True),
    ("CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasSgemm( handle )`", Blame.DEVICE, True),
    (NCCL_DEVICE, Blame.DEVICE, True),
    ("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", Blame.MEMORY, False),
    ("CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`", Blame.MEMORY, False),
    ("cuDNN error: CUDNN_STATUS_ALLOC_FAILED", Blame.MEMORY, False),
    ('NVML_SUCCESS == r INTERNAL ASSERT FAILED at "../CUDACachingAllocator.cpp":1165', Blame.MEMORY, False),
    ("CUDA error: out of memory", Blame.MEMORY, False),
    ("[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: can't allocate memory: you tried", Blame.MEMORY, False),
    (NCCL_MEMORY, Blame.MEMORY, False),
    (SHM, Blame.ENVIRONMENT, False),
    (NCCL_CUDA, Blame.ENVIRONMENT, False),
    ("CUDA error: no kernel image is available for execution on the device", Blame.ENVIRONMENT, False),
    ("CUDA error: CUDA-capable device(s) is/are busy or unavailable", Blame.ENVIRONMENT, False),
    ("CUDA error: all CUDA-capable devices are busy or unavailable", Blame.ENVIRONMENT, False),
    ("CUDA error: system not yet initialized", Blame.ENVIRONMENT, False),
    ("The NVIDIA driver on your system is too old (found version 11040).", Blame.ENVIRONMENT, False),
    ("CUDA error: the provided PTX was compiled with an unsupported toolchain.", Blame.ENVIRONMENT, False),
    ("unable to open shared memory object </torch_1>: No space left on device (28)", Blame.ENVIRONMENT, False),
    ("mat1 and mat2 shapes cannot be multiplied (3x5 and 2x2)", Blame.OURS, False),
    ('"addmm_impl_cpu_" not implemented for \'Half\'', Blame.OURS, False),
    ("CUDA error: invalid argument", Blame.OURS, False),
    ("CUDA error: unknown error", Blame.OURS, True),
]  # fmt: skip


@pytest.mark.parametrize(("text", "blame", "sticky"), CASES, ids=lambda value: str(value)[:60])
def test_errors_are_told_apart(text: str, blame: Blame, sticky: bool) -> None:
    cause = cause_of(RuntimeError(text))
    assert (cause.blame, cause.sticky) == (blame, sticky)
    assert "\n" not in cause.sentence


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        (SHM, "--ipc=host"),
        ("CUDA driver version is insufficient for CUDA runtime version", "Install an NVIDIA driver"),
        ("CUDA error: system not yet initialized", "fabricmanager"),
    ],
)
def test_what_the_user_can_change_says_what_to_do(text: str, advice: str) -> None:
    assert advice in cause_of(RuntimeError(text)).sentence


def test_nccl_is_told_by_its_last_error_and_not_by_its_first_line() -> None:
    sentence = cause_of(RuntimeError(SHM)).sentence
    assert sentence.startswith("ncclSystemError: Error while creating shared memory segment /dev/shm/nccl-x")


@pytest.mark.parametrize("error", [MemoryError(), torch.OutOfMemoryError("CUDA ran out")])
def test_short_memory_is_known_by_the_kind_of_error(error: BaseException) -> None:
    assert cause_of(error).blame is Blame.MEMORY


def test_what_was_raised_because_of_a_sticky_error_is_sticky() -> None:
    refusal = BadInput("The module failed.")
    refusal.__cause__ = RuntimeError("CUDA error: device-side assert triggered")
    assert cause_of(refusal).sticky
    assert not cause_of(BadInput("The module failed.")).sticky
