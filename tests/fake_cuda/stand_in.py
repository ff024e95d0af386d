"""Builds the stand-in for CUDA, and the environment in which every Python that is started finds it.

The cards are told by `Card`; what they are made of is explained in fake_bindings.py and cards.h.
"""

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest
import torch
from filelock import FileLock

from tests.patience import PATIENCE_S

HERE = Path(__file__).parent
SOURCES = ("device.cpp", "cards.cpp", "timer.cpp")
HEADERS = ("cards.h",)


@dataclass(frozen=True, slots=True)
class Card:
    """One card, of which nobody that is seen holds `outside_mib`.

    `break_at` is an operator, the number of its call that breaks off, and what CUDA says from then on; `spoil_at` the
    operator and the call from which on its results have a wrong bit.
    """

    uuid: str
    name: str = "NVIDIA GeForce RTX 3090"
    capability: tuple[int, int] = (8, 6)
    memory_mib: int = 1536
    outside_mib: int = 0
    bus: int = 1
    lacks: tuple[str, ...] = ()
    break_at: tuple[str, int, str] | None = None
    spoil_at: tuple[str, int] | None = None
    more: dict[str, Any] = field(default_factory=dict)

    def as_dict(self, ledgers: Path) -> dict[str, Any]:
        """As fake_bindings reads it."""
        plain = asdict(self)
        more, broken, spoilt = plain.pop("more"), plain.pop("break_at"), plain.pop("spoil_at")
        faults = {"break": broken, "spoil": spoilt}
        own = {"ledger": str(ledgers / f"{self.uuid}.ledger")}
        return {**plain, **own, **more, **{name: value for name, value in faults.items() if value is not None}}


@dataclass(frozen=True, slots=True)
class FakeCuda:
    """The library that was built."""

    library: Path

    def environment(self, cards: Sequence[Card], folder: Path, **settings: Any) -> dict[str, str]:
        """Variables that make torch see these cards; `folder` holds what the processes of one machine share."""
        contents = {"library": str(self.library), "cards": [card.as_dict(folder) for card in cards], **settings}
        path = [str(HERE / "site"), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
        return {"FAKE_CUDA": json.dumps(contents), "PYTHONPATH": os.pathsep.join(path)}


def build(cache: Path) -> FakeCuda:
    """Compiles it once for each torch; skips the test where there is no compiler, or CUDA itself. Takes ten seconds."""
    if torch.version.cuda or torch.version.hip:
        pytest.skip("this PyTorch has CUDA or ROCm of its own: the stand-in takes its place in a CPU build alone")
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        pytest.skip("there is no C++ compiler: it builds the stand-in for CUDA (on Debian: apt install g++)")
    library = cache / f"libfake-cuda-{_fingerprint()}.so"
    with FileLock(cache / "building.lock"):
        if not library.exists():
            _compile(compiler, library)
    return FakeCuda(library)


def _compile(compiler: str, library: Path) -> None:
    home = Path(torch.__file__).parent
    include = [f"-I{home / 'include'}", f"-I{home / 'include/torch/csrc/api/include'}"]
    flags = ["-std=c++20", "-O0", "-fPIC", "-w", f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}"]
    part = library.with_suffix(".part")
    objects = [library.with_name(f"{name}.o") for name in SOURCES]
    compiling = [
        subprocess.Popen([compiler, *flags, *include, "-c", str(HERE / name), "-o", str(target)])
        for name, target in zip(SOURCES, objects, strict=True)
    ]
    assert [one.wait(300) for one in compiling] == [0] * len(SOURCES), "the stand-in for CUDA does not compile"
    libraries = [f"-L{home / 'lib'}", f"-Wl,-rpath,{home / 'lib'}", "-ltorch_cpu", "-lc10"]
    subprocess.run(
        [compiler, "-shared", "-o", str(part), *map(str, objects), *libraries], check=True, timeout=PATIENCE_S
    )
    part.replace(library)


def _fingerprint() -> str:
    seen = hashlib.sha256(torch.__version__.encode())
    for name in (*SOURCES, *HEADERS):
        seen.update((HERE / name).read_bytes())
    return seen.hexdigest()[:16]
