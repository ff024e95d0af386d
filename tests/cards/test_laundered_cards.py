"""A card that does not exist never passes: stand-ins for driver and PyTorch, as one would make them to deceive.

It idles at 210 MHz, whatever it computes, and computes what a processor can. The record names what it was made with.
"""

from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from core.burnin.record.rows import MACHINE, Outcome
from core.burnin.record.store import RunStore
from tests.cards.machine import CardMachine, uuid
from tests.fake_cuda.stand_in import HERE, Card, FakeCuda
from tests.fake_nvml.stand_in import FakeDriver

pytestmark = [pytest.mark.process, pytest.mark.timeout(300)]

PROFILE = 'name = "gemm"\ntitle = "GEMM"\n[[stages]]\nkind = "gemm"\nseconds = 6\nparams = { dtypes = "float32" }\n'


def test_a_card_of_a_made_up_driver_fails_by_its_speed(fake_cuda: FakeCuda, driver: FakeDriver, tmp_path: Path) -> None:
    profile = tmp_path / "gemm.toml"
    profile.write_text(PROFILE, "utf-8")
    cards = [Card(uuid(0), memory_mib=512)]
    machine = CardMachine(fake_cuda, driver, cards, tmp_path, nvml={"memory_mib": "0:24576"})
    told = machine.burn(profile)
    assert told.outcome(0) is Outcome.FAIL, told.output
    assert "% of" in told.reasons(0)
    with closing(RunStore(tmp_path / "data")) as store:
        assert store.verdicts(1)[0].device_id == MACHINE
        loaded, origin = store.libraries(1), store.origin(1)
    assert origin is not None
    assert str(HERE / "site") in origin.environment["PYTHONPATH"]
    assert origin.environment["LD_LIBRARY_PATH"]
    sampler = next(one for one in loaded if one.role == "sampler")
    worker = next(one for one in loaded if one.role == "worker")
    [library] = sampler.libraries
    assert library.sha256 == sha256(Path(library.path).read_bytes()).hexdigest()
    assert not library.path.startswith(("/usr", "/lib"))
    assert [(one.name, bool(one.record_sha256)) for one in worker.packages] == [("torch", True)]
