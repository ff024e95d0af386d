"""A network of the user's own: trained like the others, and its mistakes told in words."""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from core.loads.backend import make_load
from core.loads.load import Ending, Load, LoadStatus
from core.platform.errors import BadInput
from tests.loads.conftest import driven

CPU = torch.device("cpu")
TERMINAL = Path(__file__).parents[3] / "assets" / "manual" / "terminal.md"

GOOD = """
import torch
from torch import nn

def factory(device):
    network = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    def make_batch():
        return {"images": torch.randn(10, 8), "labels": [torch.randint(4, (10,)), "not a tensor"]}
    def loss(network, batch):
        return nn.functional.cross_entropy(network(batch["images"]), batch["labels"][0])
    return network, make_batch, loss

def nothing(device):
    return None

def no_network(device):
    return [1], lambda: torch.zeros(1), lambda network, batch: 0

def no_weights(device):
    return nn.ReLU(), lambda: torch.zeros(1), lambda network, batch: network(batch).sum()

def no_batch(device):
    return nn.Linear(2, 2), lambda: "text", lambda network, batch: 0

def many_losses(device):
    return nn.Linear(2, 2), lambda: torch.ones(3, 2), lambda network, batch: network(batch)

def wrong_shapes(device):
    return nn.Linear(2, 2), lambda: torch.ones(3, 5), lambda network, batch: network(batch).sum()

def raises(device):
    raise OSError("the data set is not there")

def asserts_later(device):
    steps = iter(range(30))
    def loss(network, batch):
        assert next(steps) < 6, "six steps are enough"
        return network(batch).square().sum()
    return nn.Linear(2, 2), lambda: torch.ones(3, 2), loss

def device_fails_later(device):
    steps = iter(range(30))
    def loss(network, batch):
        if next(steps) > 5:
            raise RuntimeError("CUDA error: an illegal memory access was encountered")
        return network(batch).square().sum()
    return nn.Linear(2, 2), lambda: torch.ones(3, 2), loss

def no_argument():
    return nn.Linear(2, 2), lambda: torch.ones(3, 2), lambda network, batch: network(batch).sum()

def does_not_learn(device):
    return nn.Linear(2, 2), lambda: torch.ones(3, 2), lambda network, batch: network(batch).sum() * 0 + 1.0
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Holds the user's module; nothing of it stays in this process."""
    (tmp_path / "my_networks.py").write_text(GOOD)
    before = list(sys.path)
    yield tmp_path
    sys.path[:] = before
    sys.modules.pop("my_networks", None)


@pytest.fixture
def own(folder: Path) -> Callable[..., Load]:
    def make(factory: str = "factory", **params: Any) -> Load:
        all_params = {"module": f"my_networks:{factory}", "path": str(folder), **params}
        return make_load("own_module", all_params, device=CPU)

    return make


def train(load: Load, steps: int) -> Ending:
    for _ in load.steps(60):
        if load.finish().evidence.as_dict()["steps"] >= steps:
            break
    return load.finish()


def test_it_is_trained_measured_and_judged_like_the_others(own: Callable[..., Load]) -> None:
    ending = train(own(learning_rate=0.02, peak_tflops=1.0), 40)
    evidence = ending.evidence.as_dict()
    assert ending.status is LoadStatus.PASSED, ending.reason
    assert evidence["shape"] == {"module": "my_networks:factory", "items": 10, "learning_rate": 0.02}
    assert evidence["rates"] == {"training": evidence["items_per_s"]}
    assert evidence["rate_unit"] == "items/s"
    assert evidence["tflops"] is not None
    assert evidence["accuracy_pct"] is None
    assert evidence["parameters"] == 8 * 16 + 16 + 16 * 4 + 4


def test_the_example_of_the_manual_is_trained(own: Callable[..., Load], folder: Path) -> None:
    [example] = re.findall(r"```python\n(.*?)```", TERMINAL.read_text("utf-8"), re.DOTALL)
    (folder / "my_networks.py").write_text(example)
    ending = train(own(), 40)
    assert ending.status is LoadStatus.PASSED, ending.reason
    assert ending.evidence.as_dict()["shape"]["items"] == 256


def test_its_operations_are_counted(own: Callable[..., Load]) -> None:
    reports = [report for report, _ in zip(own().steps(60), range(8), strict=False) if report.training_steps]
    forward = 2 * 10 * (8 * 16 + 16 * 4)
    assert reports[0].flop == 3 * forward - 2 * 10 * 8 * 16, "no gradient is due for the input"


RECURRENT = """
import torch
from torch import nn

class Cells(nn.Module):
    def __init__(self):
        super().__init__()
        self.cells, self.answer = nn.%s, nn.LazyLinear(4)

    def forward(self, steps):
        return self.answer(self.cells(steps)[0][:, -1])

def factory(device):
    network = Cells().to(device)
    network(torch.zeros(1, 3, 8, device=device))
    def make_batch():
        return torch.randn(10, 3, 8), torch.randint(4, (10,))
    return network, make_batch, lambda network, batch: nn.functional.cross_entropy(network(batch[0]), batch[1])
"""


@pytest.mark.filterwarnings("ignore:LSTM with projections")  # PyTorch says that oneDNN has none
@pytest.mark.parametrize("cells", ["GRU(8, 16, batch_first=True)", "RNN(8, 16, batch_first=True)",
                                   "LSTM(8, 16, batch_first=True, proj_size=4)"])  # fmt: skip
def test_recurrent_layers_but_the_plain_lstm_train_in_sixteen_bits_on_every_cpu(
    own: Callable[..., Load], folder: Path, cells: str
) -> None:
    (folder / "my_networks.py").write_text(RECURRENT % cells)
    ending = train(own(precision="amp-bf16"), 3)
    assert ending.evidence.as_dict()["precision"] == "amp-bf16"
    assert ending.evidence.as_dict()["steps"] >= 3, ending.reason


def test_the_seed_makes_it_repeat(own: Callable[..., Load]) -> None:
    losses = [train(own(seed=seed), 1).evidence.as_dict()["first_loss"] for seed in (1, 1, 2)]
    assert losses[0] == losses[1] != losses[2]


@pytest.mark.parametrize(
    ("factory", "reason"),
    [
        ("nothing", "my_networks:nothing must return a network, a function for a batch and a loss, not NoneType"),
        ("no_network", "The network of my_networks:no_network must be a torch.nn.Module, not list"),
        ("no_weights", "The network of my_networks:no_weights has no weights to train"),
        ("no_batch", "must hold a tensor whose first dimension counts its items"),
        ("many_losses", "cannot be trained: RuntimeError: grad can be implicitly created only for scalar outputs"),
        (
            "wrong_shapes",
            "The loss of my_networks:wrong_shapes failed: RuntimeError: mat1 and mat2 shapes cannot be multiplied",
        ),
        ("raises", "cannot be used: OSError: the data set is not there."),
        ("no_argument", "must be a function that takes the torch.device and returns a network"),
        ("nn", "must be a function that takes the torch.device and returns a network"),
        ("missing", "cannot be used: AttributeError: module 'my_networks' has no attribute 'missing'"),
        ("asserts_later", "The loss of my_networks:asserts_later failed: AssertionError: six steps are enough"),
    ],
)
def test_its_mistakes_are_its_own(own: Callable[..., Load], channel: Any, factory: str, reason: str) -> None:
    ending = driven(own(factory), channel, 5)
    assert ending.status is LoadStatus.NOT_RUN, "the device is not blamed"
    assert reason in ending.reason
    assert channel.of("fault") == []


def test_an_error_of_the_device_is_still_the_devices(own: Callable[..., Load], channel: Any) -> None:
    ending = driven(own("device_fails_later"), channel, 5)
    assert ending.status is LoadStatus.FAILED
    assert "CUDA error: an illegal memory access" in ending.reason


def test_a_module_that_is_not_there_is_named(own: Callable[..., Load], channel: Any) -> None:
    ending = driven(own(module="nowhere.at_all:factory"), channel, 5)
    assert ending.reason == "nowhere.at_all:factory cannot be used: ModuleNotFoundError: No module named 'nowhere'."


def test_without_a_folder_python_looks_where_it_looks_anyway(own: Callable[..., Load], channel: Any) -> None:
    ending = driven(own(path=""), channel, 5)
    assert "No module named 'my_networks'" in ending.reason


def test_a_network_that_does_not_learn_may_be_at_fault_itself(own: Callable[..., Load]) -> None:
    ending = train(own("does_not_learn"), 21)
    assert ending.status is LoadStatus.FAILED
    assert "did not fall" in ending.reason
    assert "the module or the learning rate is at fault, not the device" in ending.reason


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({}, "module"),
        ({"module": "no_colon"}, "module"),
        ({"module": "a:b; import os"}, "module"),
        ({"module": "a:b", "path": "/does/not/exist"}, "folder /does/not/exist"),
        ({"module": "a:b", "batch": 4}, "batch"),
    ],
)
def test_what_cannot_be_meant_is_refused(params: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        make_load("own_module", params, device=CPU)
