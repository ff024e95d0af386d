"""How a rank tells the errors of its work: whether its card, the environment or another rank is at fault."""

from __future__ import annotations

from typing import Any

import pytest

from core.loads.group.process_group import ProcessGroup
from core.loads.group.rank import CutOff, answer

ORDER = {"work": "p2p", "params": {}, "until": 0.0, "rank": 0, "size": 2, "meeting": "/m", "device": "cuda"}


class Silent:
    def send(self, type_: str, **fields: Any) -> None:
        raise AssertionError("it never joined")


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("NCCL error in: x.cpp:1, unhandled system error\nncclSystemError: System call failed.", "not_run", "/dev/shm"),
        ("CUDA error: CUDA-capable device(s) is/are busy or unavailable", "not_run", "nvidia-smi -c 0"),
        ("CUDA error: out of memory", "not_run", "Not enough free memory"),
        ("mat1 and mat2 shapes cannot be multiplied", "not_run", "not blamed on any card"),
        ("ncclRemoteError: A call failed possibly due to a network error", "cut_off", "ncclRemoteError"),
        ("CUDA error: an illegal memory access was encountered", "failed", "illegal memory access"),
    ],
)
def test_only_the_devices_own_errors_fail_it(
    monkeypatch: pytest.MonkeyPatch, text: str, status: str, said: str
) -> None:
    def raises(order: Any) -> ProcessGroup:
        raise RuntimeError(text)

    monkeypatch.setattr(ProcessGroup, "met", raises)
    ending = answer(ORDER, Silent())  # type: ignore[arg-type]
    assert ("cut_off" if isinstance(ending, CutOff) else ending.status) == status
    assert said in ending.reason
