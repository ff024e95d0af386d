"""Operators that CUDA has and a CPU has not, written with those that both have."""

from typing import Any

import torch
from torch import Tensor

_KEPT: list[torch.library.Library] = []


def register() -> None:
    """Adds them for as long as the process lives."""
    library = torch.library.Library("aten", "IMPL")
    library.impl("_thnn_fused_lstm_cell", lstm_cell, "CUDA")
    library.impl("_thnn_fused_lstm_cell_backward_impl", lstm_cell_backward, "CUDA")
    _KEPT.append(library)
    vf: Any = torch._VF
    vf.lstm = _as_cudnn_casts(vf.lstm)


def lstm_cell(
    input_gates: Tensor,
    hidden_gates: Tensor,
    cx: Tensor,
    input_bias: Tensor | None = None,
    hidden_bias: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """One step of a long short-term memory: hidden state, cell state, and the gates for the way back."""
    gates = input_gates + hidden_gates
    for bias in (input_bias, hidden_bias):
        gates = gates if bias is None else gates + bias
    enter, forget, cell, leave = gates.chunk(4, 1)
    opened = [enter.sigmoid(), forget.sigmoid(), cell.tanh(), leave.sigmoid()]
    cy = opened[1] * cx + opened[0] * opened[2]
    return opened[3] * cy.tanh(), cy, torch.cat(opened, 1)


def lstm_cell_backward(
    grad_hy: Tensor | None, grad_cy: Tensor | None, cx: Tensor, cy: Tensor, workspace: Tensor, has_bias: bool
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    """The derivatives of `lstm_cell` by its gates, its cell state and its bias."""
    if grad_hy is None and grad_cy is None:
        return None, None, None
    enter, forget, cell, leave = workspace.chunk(4, 1)
    tanh = cy.tanh()
    by_hy = torch.zeros_like(cy) if grad_hy is None else grad_hy
    by_cy = by_hy * leave * (1 - tanh * tanh)
    by_cy = by_cy if grad_cy is None else by_cy + grad_cy
    grad_gates = torch.cat(
        [
            by_cy * cell * enter * (1 - enter),
            by_cy * cx * forget * (1 - forget),
            by_cy * enter * (1 - cell * cell),
            by_hy * tanh * leave * (1 - leave),
        ],
        1,
    )
    return grad_gates, by_cy * forget, grad_gates.sum(0) if has_bias else None


def _as_cudnn_casts(plain: Any) -> Any:
    """Within autocast cuDNN's layers are computed in FP16, whatever was asked (aten/src/ATen/cudnn/AutocastRNN.cpp)."""

    def lstm(data: Tensor, *rest: Any) -> Any:
        if not (isinstance(data, Tensor) and data.is_cuda and torch.is_autocast_enabled("cuda")):
            return plain(data, *rest)
        halved = [_halved(one) for one in (data, *rest)]
        with torch.autocast("cuda", enabled=False):
            return plain(*halved)

    return lstm


def _halved(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.half() if value.is_floating_point() else value
    return type(value)(map(_halved, value)) if isinstance(value, list | tuple) else value
