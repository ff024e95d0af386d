"""How a GPU is opened, on a stand-in for torch.cuda: whatever keeps it from starting is told, and no card blamed."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from core.loads import backend
from core.loads.worker import environment
from core.platform.errors import EnvironmentProblem

UUID = "12345678-0000-0000-0000-000000000000"
NEW_BUILD = ["sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120", "compute_120"]

Opened = Callable[..., Any]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Opened:
    """Opens a stand-in for a GPU; its first product does what `wake` does."""

    def open_it(
        *, device_id: str = f"GPU-{UUID}", capability: tuple[int, int] = (8, 0), name: str = "A100", wake: Any = None,
        init: Exception | None = None, built_for: list[str] = NEW_BUILD,
    ) -> Any:  # fmt: skip
        def fail(error: Exception | None) -> None:
            if error is not None:
                raise error

        card = SimpleNamespace(
            uuid=UUID, name=name, major=capability[0], minor=capability[1], total_memory=2**34, multi_processor_count=9
        )
        monkeypatch.setattr(torch.backends.cuda, "is_built", lambda: True)
        monkeypatch.setattr(torch.cuda, "init", lambda: fail(init))
        monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: card)
        monkeypatch.setattr(torch.cuda, "get_arch_list", lambda: built_for)
        monkeypatch.setattr(backend, "_wake", lambda _: fail(wake))
        return backend.open_cuda(device_id)

    return open_it


def test_a_sound_card_is_opened(opened: Opened) -> None:
    bench = opened()
    assert (bench.name, bench.backend, bench.detail["capability"]) == ("A100", "cuda", "8.0")
    assert "problem" not in bench.detail


@pytest.mark.parametrize(
    ("machine", "reason"),
    [
        ({"capability": (7, 0)}, "no kernels for compute capability 7.0: install the CUDA 12.6 build."),
        ({"capability": (6, 0)}, "no kernels for compute capability 6.0: install the CUDA 12.6 build."),
        ({"capability": (12, 0), "built_for": ["sm_80", "sm_90"]}, "compute capability 12.0: install a newer build."),
        ({"wake": RuntimeError("CUDA error: no kernel image is available")}, "Install a PyTorch build"),
        ({"wake": RuntimeError("CUDA error: CUDA-capable device(s) is/are busy or unavailable")}, "nvidia-smi -c 0"),
        ({"wake": torch.OutOfMemoryError("CUDA out of memory.")}, "Not enough free memory"),
        ({"wake": RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED")}, "Not enough free memory"),
        ({"init": RuntimeError("The NVIDIA driver on your system is too old")}, "Install an NVIDIA driver"),
        ({"init": torch.cuda.DeferredCudaCallError("CUDA call failed lazily")}, "CUDA call failed lazily"),
        ({"name": "NVIDIA A100-SXM4-40GB MIG 1g.5gb"}, "nvidia-smi -mig 0"),
        ({"device_id": "GPU-ffff"}, f"CUDA opened GPU-{UUID} although GPU-ffff was requested"),
    ],
    ids=str,
)
def test_what_keeps_a_card_from_starting_is_reported_and_every_load_is_refused(
    opened: Opened, machine: dict[str, Any], reason: str
) -> None:
    bench = opened(**machine)
    assert reason in bench.detail["problem"]
    with pytest.raises(EnvironmentProblem) as refused:
        bench.make("gemm", {})
    assert str(refused.value) == bench.detail["problem"]


def test_a_card_that_breaks_off_at_its_first_product_is_blamed(opened: Opened) -> None:
    with pytest.raises(RuntimeError, match="ECC"):
        opened(wake=RuntimeError("CUDA error: uncorrectable ECC error encountered"))


@pytest.mark.parametrize(
    ("capability", "built_for", "fits"),
    [
        ((8, 9), ["sm_80", "sm_90"], True), ((8, 0), ["sm_86"], False), ((9, 0), ["sm_90a"], True),
        ((10, 3), ["sm_90a"], False), ((12, 0), ["sm_80", "compute_90"], True),
        ((7, 0), ["sm_75", "compute_120"], False), ((7, 0), [], True),
    ],
)  # fmt: skip
def test_which_kernels_run_on_a_card(capability: tuple[int, int], built_for: list[str], fits: bool) -> None:
    assert (backend.lacking_kernels(capability, built_for) is None) is fits


def test_a_mig_share_is_opened_by_its_own_id_and_said_to_be_one(opened: Opened) -> None:
    assert "other instances" in opened(device_id="MIG-77", name="NVIDIA A100 MIG 1g.5gb").detail["mig"]
    share, card = environment("MIG-77", "gpu"), environment("GPU-12ab", "gpu")
    assert (share["CUDA_VISIBLE_DEVICES"], card["CUDA_VISIBLE_DEVICES"]) == ("MIG-77", "GPU-12ab")
    assert share.get("PYTORCH_CUDA_ALLOC_CONF") != "expandable_segments:True"
