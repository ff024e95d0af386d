"""The stand-in for CUDA is to torch what CUDA is: same names, same arguments, same errors, real tensors."""

import ast
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.fake_cuda import fake_bindings
from tests.fake_cuda.stand_in import Card, FakeCuda

STUBS = Path(torch.__file__).parent / "_C" / "__init__.pyi"
NOT_IN_THE_STUBS = {"_cuda_isInBadFork"}
PROPERTIES_WITHOUT_STUB = {"pci_domain_id", "pci_bus_id", "pci_device_id", "regs_per_multiprocessor"}
"""Which a CUDA build has nevertheless (torch/csrc/cuda/Module.cpp)."""
CARDS = (
    Card("GPU-00000000-1111-2222-3333-444444444444", memory_mib=64),
    Card("GPU-11111111-2222-3333-4444-555555555555", name="NVIDIA H200", capability=(9, 0), memory_mib=64, bus=2),
)

BEHAVIOUR = """
import json, torch
from torch import nn
card = torch.device("cuda", 1)
told = {}

def refused(kind, call):
    try:
        call()
    except kind as error:
        return str(error)
    return None

told["cards"] = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
drawn = torch.randn(4, 4, device=card, generator=torch.Generator(card).manual_seed(3))
again = torch.randn(4, 4, generator=torch.Generator().manual_seed(3))
told["same numbers"] = torch.equal(drawn.cpu(), again)
told["devices"] = [str(drawn.device), str((drawn @ drawn).device), str(drawn.t()[1:].device), str(drawn.cpu().device)]
drawn[1:3].fill_(7)
told["view"] = drawn.sum(1)[1].item()
told["mixed"] = refused(RuntimeError, lambda: drawn + again)
told["full"] = refused(torch.OutOfMemoryError, lambda: torch.empty(2**30, device=card))
before = torch.cuda.mem_get_info(card)
torch.cuda.reset_peak_memory_stats(card)
block = torch.zeros(2**20, device=card)
told["peak"] = torch.cuda.max_memory_allocated(card) - torch.cuda.memory_allocated(card) + block.nbytes
told["taken"] = before[0] - torch.cuda.mem_get_info(card)[0] >= 4 * 2**20
del block
kept = torch.cuda.mem_get_info(card)[0]
torch.cuda.empty_cache()
told["given back"] = torch.cuda.mem_get_info(card)[0] > kept
told["pinned"] = [torch.empty(3, pin_memory=True).is_pinned(), torch.empty(3).is_pinned()]
stream = torch.cuda.Stream(card)
with torch.cuda.stream(stream):
    told["stream"] = torch.cuda.current_stream(card) == stream != torch.cuda.default_stream(card)
first, last = (torch.cuda.Event(enable_timing=True, blocking=True) for _ in range(2))
first.record()
last.record()
told["late"] = last.query()
last.synchronize()
told["came"] = last.query() and first.elapsed_time(last) > 0
told["peers"] = [torch.cuda.can_device_access_peer(0, 1), torch.cuda.can_device_access_peer(0, 0)]

def trained(device):
    torch.manual_seed(1)
    network = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Flatten(), nn.Linear(144, 5)).to(device)
    recurrent = nn.LSTM(5, 6, 2).to(device)
    optimiser = torch.optim.SGD([*network.parameters(), *recurrent.parameters()], lr=0.1)
    pictures = torch.randn(2, 3, 8, 8).to(device)
    for _ in range(2):
        optimiser.zero_grad()
        out = recurrent(network(pictures)[None])[0]
        (out * nn.functional.scaled_dot_product_attention(out, out, out)).sum().backward()
        optimiser.step()
    return torch.cat([parameter.detach().cpu().flatten() for parameter in optimiser.param_groups[0]["params"]])

told["trains alike"] = torch.allclose(trained(card), trained("cpu"), atol=1e-5)
recurrent = nn.LSTM(5, 6).to(card)
with torch.autocast("cuda", dtype=torch.bfloat16):
    told["casts"] = [str((drawn @ drawn).dtype), str(recurrent(torch.zeros(1, 1, 5, device=card))[0].dtype)]
eight = torch.ones(32, 32, device=card)
one = torch.ones((), device=card)
scaled = eight.to(torch.float8_e4m3fn)
told["narrow"] = [
    torch._scaled_mm(scaled, scaled.t().contiguous().t(), one, one, out_dtype=torch.bfloat16)[0, 0].item(),
    torch._int_mm(eight.to(torch.int8), eight.to(torch.int8))[0, 0].item(),
]
print(json.dumps(told))
"""
EXPECTED: dict[str, Any] = {
    "cards": ["NVIDIA GeForce RTX 3090", "NVIDIA H200"],
    "same numbers": True,
    "devices": ["cuda:1", "cuda:1", "cuda:1", "cpu"],
    "view": 28.0,
    "taken": True,
    "peak": 4 * 2**20,
    "given back": True,
    "pinned": [True, False],
    "stream": True,
    "late": False,
    "came": True,
    "peers": [True, False],
    "trains alike": True,
    "casts": ["torch.bfloat16", "torch.float16"],
    "narrow": [32.0, 32],
}

BROKEN = """
import json, torch
told = []
ones = torch.ones(8, 8, device="cuda")
for turn in range(4):
    try:
        told.append((ones @ ones)[4, 0].item())
    except torch.AcceleratorError as error:
        told.append(str(error).splitlines()[0])
for later in (torch.cuda.synchronize, lambda: torch.empty(1, device="cuda"), lambda: torch.cuda.mem_get_info(0)):
    try:
        later()
        told.append("went on")
    except RuntimeError as error:
        told.append(str(error).splitlines()[0])
print(json.dumps(told))
"""


def _run(program: str, environment: dict[str, str]) -> Any:
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True, timeout=200, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def _stubs() -> dict[str, ast.FunctionDef | ast.ClassDef]:
    tree = ast.parse(STUBS.read_text(encoding="utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def _names(function: ast.FunctionDef) -> list[str]:
    return [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]


def test_every_function_has_the_arguments_of_the_installed_torch() -> None:
    stubs = _stubs()
    own = {
        name: member for name, member in vars(fake_bindings.Bindings).items() if name.startswith(("_cuda_", "_host_"))
    }
    assert len(own) > 20
    for name, function in own.items():
        if name in NOT_IN_THE_STUBS:
            continue
        stub = stubs[name]
        assert isinstance(stub, ast.FunctionDef)
        assert list(inspect.signature(function).parameters) == ["self", *_names(stub)], name


@pytest.mark.parametrize("name", ["_CudaStreamBase", "_CudaEventBase"])
def test_streams_and_events_have_the_methods_of_the_installed_torch(name: str) -> None:
    stub = _stubs()[name]
    assert isinstance(stub, ast.ClassDef)
    stub_classes = {node.name: _names(node) for node in stub.body if isinstance(node, ast.FunctionDef)}
    made = fake_bindings.stream_class if name == "_CudaStreamBase" else fake_bindings.event_class
    own = vars(made(torch._C, None))
    for method, arguments in stub_classes.items():
        if method in own and method != "__new__":
            assert list(inspect.signature(own[method]).parameters) == arguments, method
    assert {"query", "synchronize"} <= set(own) & set(stub_classes)


def test_properties_are_those_of_the_installed_torch() -> None:
    stub = _stubs()["_CudaDeviceProperties"]
    assert isinstance(stub, ast.ClassDef)
    stub_names = {
        node.target.id for node in stub.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    own = set(vars(fake_bindings.properties({"name": "x", "capability": (8, 6), "memory_mib": 1, "uuid": "GPU-x"})))
    assert own - stub_names == PROPERTIES_WITHOUT_STUB
    assert stub_names <= own


@pytest.mark.process
def test_tensors_streams_and_memory_behave_as_on_a_card(fake_cuda: FakeCuda, tmp_path: Path) -> None:
    answers = _run(BEHAVIOUR, fake_cuda.environment(CARDS, tmp_path))
    assert "Expected all tensors to be on the same device" in answers.pop("mixed")
    assert "CUDA out of memory" in answers.pop("full")
    assert answers == EXPECTED


@pytest.mark.process
def test_after_an_illegal_access_every_call_gives_the_same_error(fake_cuda: FakeCuda, tmp_path: Path) -> None:
    sentence = "an illegal memory access was encountered"
    card = Card(CARDS[0].uuid, break_at=("aten::mm", 3, sentence), spoil_at=("aten::mm", 1))
    answers = _run(BROKEN, fake_cuda.environment([card], tmp_path))
    assert answers[0] == 8.0
    assert answers[1] != 8.0
    assert [f"CUDA error: {sentence}"] * 4 == answers[3:]


@pytest.mark.process
def test_cards_are_chosen_by_their_uuid_and_held_by_one_process(fake_cuda: FakeCuda, tmp_path: Path) -> None:
    environment = fake_cuda.environment(CARDS, tmp_path, exclusive=True) | {"CUDA_VISIBLE_DEVICES": CARDS[1].uuid}
    answers = _run(HELD, environment)
    assert answers == ["NVIDIA H200", "CUDA error: CUDA-capable device(s) is/are busy or unavailable"]


HELD = '''
import json, subprocess, sys, torch
told = [torch.cuda.get_device_name(0)]
second = """import torch
try:
    torch.cuda.init()
except RuntimeError as error:
    print(str(error).splitlines()[0], end="")
"""
told.append(subprocess.run([sys.executable, "-c", second], capture_output=True, text=True).stdout)
print(json.dumps(told))
'''
