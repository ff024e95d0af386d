"""What is on the bus and was not tested is in the verdict: real runner and sampler, stand-ins for driver and bus."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from core.burnin.record.rows import MACHINE, Outcome, StageStatus
from core.burnin.record.store import RunStore
from core.burnin.run import run_setup
from core.burnin.run.order import BurnOrder
from core.burnin.run.runner import Runner
from core.burnin.sealing import SealState, check_run
from core.burnin.verdict.causes import causes_of
from core.cli.options import console
from core.cli.recorded_run import print_verdict, run_as_dict
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.file import dump_build
from core.platform.errors import BadInput, ExitCode
from core.present.certificate.certificate import read_certificate
from core.present.certificate.layout import certificate_values
from core.present.certificate.letterhead import Letterhead
from core.present.report.run_report import run_document
from core.present.report.write import html_bytes
from tests.fake_nvml.stand_in import FakeDriver, build
from tests.machine.asbuilt.bus_tree import Step, card, put, rtx_3090s
from tests.machine.asbuilt.test_bus import EIGHT, RADEON, planned, with_display_card

NONE_TESTED = "No GPU was tested"
Listed = Callable[[int], None]


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> FakeDriver:
    return build(tmp_path_factory.mktemp("driver"))


@pytest.fixture
def listed(driver: FakeDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Listed:
    """The driver lists the first so many of eight healthy RTX 3090; with none it does not load."""

    def go(count: int) -> None:
        settings: dict[str, object] = {"count": count, "model": "3090", "live": tmp_path} if count else {"init": 9}
        for name, value in driver.environment(**settings).items():
            monkeypatch.setenv(name, value)

    return go


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stands in for the root of the machine's file system."""
    folder = tmp_path / "root"
    folder.mkdir()
    monkeypatch.setattr(run_setup, "MACHINE_ROOT", folder)
    return folder


@dataclass(frozen=True)
class Ended:
    """A run that is over."""

    code: ExitCode
    store: RunStore
    id: int

    @property
    def reasons(self) -> list[tuple[Outcome, str]]:
        (machine,) = (verdict for verdict in self.store.verdicts(self.id) if verdict.device_id == MACHINE)
        return [(reason.outcome, reason.text) for reason in machine.reasons if not reason.about.startswith("GPU-")]


def without_ram(plan: Build) -> Build:
    """Of which the machine that runs the tests has as much as it has."""
    return replace(plan, lines=tuple(line for line in plan.lines if line.part.category is not Category.RAM))


@pytest.fixture
def burn(tmp_path: Path, write_profile: Callable[..., str]) -> Iterator[Callable[..., Ended]]:
    """A run to its end, in this process; nothing is loaded in it."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    opened: list[RunStore] = []

    def go(plan: Build | None = None, **order: Any) -> Ended:
        profile = write_profile(("preflight", 0.3, {}))
        text = dump_build(without_ram(plan)) if plan else None
        runner = Runner(tmp_path, BurnOrder(profile=profile, build=text, **order))
        code = runner.run()
        for lock in runner._run.locks:  # which a runner holds for as long as its process lives
            lock.release()
        opened.append(RunStore(tmp_path))
        return Ended(code, opened[-1], runner.run_id)

    yield go
    for store in opened:
        store.close()
    for number, handler in before.items():
        signal.signal(number, handler)


def everywhere(ended: Ended, sentence: str) -> None:
    """Terminal, JSON, report and certificate tell it."""
    store, run_id = ended.store, ended.id
    with console.capture() as shown:
        print_verdict(store, run_id)
    assert " ".join(sentence.split()) in " ".join(shown.get().split())
    address = sentence.partition(" @ ")[2][:12]
    assert address in [one["address"] for one in run_as_dict(store, run_id)["not_tested"]]
    assert sentence in json.dumps(run_as_dict(store, run_id))
    assert sentence.replace("'", "&#39;") in html_bytes(run_document(store, run_id)).decode()
    certificate = read_certificate(store, run_id)
    assert sentence in certificate_values(certificate, Letterhead())["not-run"]
    assert address in [one.address for one in certificate.not_tested]
    assert check_run(store, run_id).state is SealState.INTACT


def untested(ended: Ended) -> list[str]:
    return [text for outcome, text in ended.reasons if text.startswith("On the bus, not tested: ")]


@pytest.mark.parametrize("plan", [None, 8])
def test_seven_of_eight_is_no_pass(listed: Listed, root: Path, burn: Callable[..., Ended], plan: int | None) -> None:
    listed(7)
    rtx_3090s(root, *EIGHT)
    ended = burn(planned(plan) if plan else None)
    (sentence,) = untested(ended)
    assert ended.code is ExitCode.INCOMPLETE
    assert "GeForce RTX 3090 @ 0000:48:00.0" in sentence
    assert "It is bound to the NVIDIA driver, which does not list it" in sentence
    assert not any("present" in text for _, text in ended.reasons)
    everywhere(ended, sentence)


def test_eight_of_eight_says_nothing_of_the_bus(listed: Listed, root: Path, burn: Callable[..., Ended]) -> None:
    listed(8)
    rtx_3090s(root, *EIGHT)
    put(root, Step("0000:00:1c.0"), card("0000:03:00.0", "1a03:2000", driver="ast", boot=True))
    ended = burn(planned(8))
    assert untested(ended) == []
    assert ended.code is ExitCode.PASS
    assert [text for _, text in ended.reasons if "bus" in text] == []


@pytest.mark.parametrize("plan", [None, 1])
@pytest.mark.parametrize("driver_bound", [None, "nouveau", "vfio-pci"])
def test_a_card_that_no_driver_serves_is_reported_after_that_no_gpu_was_tested(
    listed: Listed, root: Path, burn: Callable[..., Ended], driver_bound: str | None, plan: int | None
) -> None:
    listed(0)
    rtx_3090s(root, EIGHT[0], driver=driver_bound)
    ended = burn(planned(plan) if plan else None)
    assert ended.code is ExitCode.INCOMPLETE
    assert ended.reasons[0][1].startswith(NONE_TESTED)
    (sentence,) = untested(ended)
    assert "none is present" not in str(ended.reasons)
    assert {stage.status for stage in ended.store.stages(ended.id)} == {StageStatus.SKIPPED}
    assert causes_of(ended.store, ended.id)[0].text.startswith(NONE_TESTED)
    assert [one.title for one in read_certificate(ended.store, ended.id).not_run] == ["Preflight"]
    everywhere(ended, sentence)


@pytest.mark.parametrize("devices", [(), ("cpu",)])
def test_a_radeon_alone_is_not_tested_whatever_else_is(
    listed: Listed, root: Path, burn: Callable[..., Ended], devices: tuple[str, ...]
) -> None:
    listed(0)
    put(root, Step("0000:00:01.0"), card("0000:03:00.0", RADEON, driver="amdgpu", boot=True))
    ended = burn(devices=devices)
    assert ended.code is ExitCode.INCOMPLETE
    assert (NONE_TESTED in str(ended.reasons)) == (not devices)
    assert "Its driver is amdgpu, which Rigwright does not read." in untested(ended)[0]


@pytest.mark.parametrize("served", [True, False])
def test_a_card_is_left_out_by_name_and_that_stands_everywhere(
    listed: Listed, root: Path, burn: Callable[..., Ended], served: bool
) -> None:
    listed(8 if served else 7)
    rtx_3090s(root, *EIGHT)
    ended = burn(leave_out=(EIGHT[7],))
    assert ended.code is ExitCode.PASS
    sentence = next(text for outcome, text in ended.reasons if text.startswith("Left out, not tested: "))
    assert EIGHT[7] in sentence
    burned = [row.device.bus_id for row in ended.store.devices(ended.id) if row.burned]
    assert burned == list(EIGHT[:7])
    everywhere(ended, sentence)


def test_the_display_card_of_the_build_is_left_out_and_that_stands_everywhere(
    listed: Listed, root: Path, burn: Callable[..., Ended]
) -> None:
    listed(4)
    rtx_3090s(root, *EIGHT[:4])
    put(root, Step("0000:00:1d.0"), card("0000:61:00.0", "10de:2b85", driver="nouveau", boot=True))
    ended = burn(with_display_card())
    assert ended.code is ExitCode.PASS
    sentence = next(text for outcome, text in ended.reasons if text.startswith("Left out, not tested: "))
    assert sentence.endswith("It is the display card of the build.")
    everywhere(ended, sentence)


def test_cards_that_were_not_chosen_stand_everywhere(listed: Listed, root: Path, burn: Callable[..., Ended]) -> None:
    listed(3)
    rtx_3090s(root, *EIGHT[:3])
    ended = burn(devices=("0", "2"))
    assert ended.code is ExitCode.PASS
    (sentence,) = (text for _, text in ended.reasons if text.startswith("Left out, not tested: "))
    assert EIGHT[1] in sentence
    assert sentence.endswith("Other devices were chosen.")
    everywhere(ended, sentence)


def test_an_address_of_no_card_starts_no_run(listed: Listed, root: Path, burn: Callable[..., Ended]) -> None:
    listed(1)
    rtx_3090s(root, EIGHT[0])
    with pytest.raises(BadInput, match=r"No card is at 0000:99:00\.0"):
        burn(leave_out=("0000:99:00.0",))


@pytest.mark.parametrize("tree", ["board", "integrated", "container"])
@pytest.mark.parametrize("devices", [(), ("cpu",)])
def test_a_machine_without_a_card_is_incomplete_unless_the_cpu_is_chosen(
    listed: Listed, root: Path, burn: Callable[..., Ended], tree: str, devices: tuple[str, ...]
) -> None:
    """In the container there is neither /sys/class/dmi nor any bus."""
    listed(0)
    if tree == "board":
        put(root, Step("0000:00:1c.0"), card("0000:03:00.0", "1a03:2000", driver="ast", boot=True))
    elif tree == "integrated":
        put(root, Step("0000:00:00.0", "8086:4660", "0x060000"))
        put(root, card("0000:00:02.0", "8086:4680", driver="i915", boot=True))
    ended = burn(devices=devices)
    assert untested(ended) == []
    if devices:
        assert ended.code is not ExitCode.INCOMPLETE
        assert NONE_TESTED not in str(ended.reasons)
    else:
        assert ended.code is ExitCode.INCOMPLETE
        assert next(text for outcome, text in ended.reasons if outcome is Outcome.INCOMPLETE).startswith(NONE_TESTED)
