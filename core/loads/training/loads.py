"""The training loads by name: each the same training of another network."""

from __future__ import annotations

import torch

from core.loads.training.overfit import OverfitLoad
from core.loads.training.params import LstmParams, ResnetParams, TransformerParams
from core.loads.training.precision import chosen_precision
from core.loads.training.sizes import gpt_task, lstm_task, resnet_task


class ResnetLoad(OverfitLoad):
    """ResNet-50: convolutions and the memory between them. Raises BadInput, or EnvironmentProblem for a precision."""

    def __init__(self, params: ResnetParams, device: torch.device) -> None:
        task = resnet_task(params, device, chosen_precision(params.precision, device))
        super().__init__("resnet", params, device, task)


class LstmLoad(OverfitLoad):
    """A deep LSTM: small products one after another. Raises EnvironmentProblem for a precision."""

    def __init__(self, params: LstmParams, device: torch.device) -> None:
        super().__init__("lstm", params, device, lstm_task(params, device, chosen_precision(params.precision, device)))


class TransformerLoad(OverfitLoad):
    """A GPT: large products and attention. Raises BadInput, or EnvironmentProblem for a precision."""

    def __init__(self, params: TransformerParams, device: torch.device) -> None:
        task = gpt_task(params, device, chosen_precision(params.precision, device))
        super().__init__("transformer", params, device, task)
