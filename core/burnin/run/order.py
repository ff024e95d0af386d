"""What a viewer orders: a run, or an interrupted one to go on with; and its start as a process of its own."""

from __future__ import annotations

import re
import signal
import subprocess
import threading
import time
from collections.abc import Collection
from contextlib import closing
from pathlib import Path
from typing import IO

from pydantic import BaseModel, ConfigDict

from core.burnin.children.child import open_log
from core.burnin.profile.file import check_stage, find_profile, stretched, title_of
from core.burnin.profile.overrides import (
    OWN_NETWORK,
    PRECISIONS,
    of_stages,
    with_assignment,
    with_networks,
    with_param,
    with_power_limit,
)
from core.burnin.profile.profile import Profile
from core.burnin.record.rows import RunStatus
from core.burnin.record.store import RunStore
from core.burnin.run.follow import runner_lives
from core.burnin.run.lock import runner_alive
from core.machine.asbuilt.bus import BusCard
from core.machine.sound.calibration import Microphone, calibrated_microphone
from core.machine.telemetry.detect import START_WITHIN_S, burnable
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.simulated.simulation import parse_simulation
from core.machine.telemetry.wall.nut import parse_wall
from core.platform.errors import BadInput, EnvironmentProblem, ExitCode, RigwrightError
from core.platform.libraries import lack_of_pytorch
from core.platform.processes import able_to_sign, english_environment, own_environment, own_python
from core.platform.protocol import Message, decode
from core.words import tr

QUICK_TEST = "quick-test"
FLEET_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,99}")


class BurnOrder(BaseModel):
    """Travels as JSON from the viewer to the runner.

    `devices` are ids, their beginnings, or indexes; empty means every GPU: without one, nothing is tested.
    `build` is the text of a build file to compare with. `resume` is the number of an interrupted or stopped run.
    Without a profile it is quick-test, or the chosen stages alone.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    profile: str | None = None
    stages: tuple[str, ...] = ()
    """Kinds of stages: only these."""
    networks: tuple[str, ...] = ()
    """What is trained, in place of what the profile trains."""
    module: str | None = None
    """An own network by its import path, "package.module:function"."""
    precision: str | None = None
    batch: int | None = None
    power_limit_w: float | None = None
    """The limit that every GPU shall be set to."""
    settings: tuple[str, ...] = ()
    """Further parameters, each "kind.name=value"."""
    minutes: float | None = None
    devices: tuple[str, ...] = ()
    simulate: str | None = None
    build: str | None = None
    resume: int | None = None
    noise: str | None = None
    """The input whose level is recorded: a calibrated microphone. None: no noise is measured."""
    wall: str | None = None
    """The wall meter that is read during the run: "nut:ups@host". None: none is."""
    accepted: tuple[str, ...] = ()
    """Planned cards that are known to be missing or other ones, by the key of their line as built: "slot 3"."""
    leave_out: tuple[str, ...] = ()
    """PCI addresses of cards that shall not be tested: "0000:41:00.0"."""
    fleet_id: str | None = None
    """The name by which a fleet orders the run: ordered twice, it is started once."""

    def validate_words(self) -> None:
        """Raises BadInput for a profile or a simulation that does not exist, before any process is started."""
        self.wanted_profile()
        if self.simulate is not None:
            parse_simulation(self.simulate)
        self.wall_meter()
        if self.fleet_id is not None and not FLEET_ID.fullmatch(self.fleet_id):
            raise BadInput(
                tr("{name!r} is no name for an order. Use at most 100 letters, digits and . _ : -.", name=self.fleet_id)
            )

    def microphone(self, data_dir: Path) -> Microphone | None:
        """What records noise. Raises BadInput for one that is not calibrated, or would hear a simulation."""
        if self.noise is None:
            return None
        if self.simulate is not None:
            raise BadInput(tr("A simulated run makes no noise: leave out {--noise}, or {--simulate}."))
        return calibrated_microphone(data_dir, self.noise)

    def wall_meter(self) -> str | None:
        """What is read at the wall. Raises BadInput for one that is written wrong, or would measure a simulation."""
        if self.wall is None:
            return None
        if self.simulate is not None:
            raise BadInput(tr("A simulated run draws no power: leave out {--wall}, or {--simulate}."))
        parse_wall(self.wall)
        return self.wall

    def wanted_profile(self) -> Profile:
        """The profile with what the order changes in it, stretched to `minutes`. Raises BadInput."""
        profile = self._overridden()
        for stage in profile.stages:
            check_stage(
                stage, tr("{stage} cannot run this way: ", stage=title_of(stage)), simulated=self.simulate is not None
            )
        return profile if self.minutes is None else stretched(profile, self.minutes)

    @property
    def full_seconds(self) -> float:
        """What the chosen stages take where nobody shortens or stretches them. Raises BadInput."""
        return self._overridden().seconds

    def _overridden(self) -> Profile:
        named = find_profile(self.profile) if self.profile else None
        profile = of_stages(self.stages, named) if self.stages else named or find_profile(QUICK_TEST)
        networks = (*self.networks, *([OWN_NETWORK] if self.module and OWN_NETWORK not in self.networks else []))
        if networks:
            profile = with_networks(profile, networks)
        if self.module is not None:
            profile = with_param(profile, "module", self.module, kinds=(OWN_NETWORK,))
        if self.precision is not None:
            profile = with_param(profile, "precision", PRECISIONS.get(self.precision, self.precision))
        if self.batch is not None:
            profile = with_param(profile, "batch", self.batch)
        if self.power_limit_w is not None:
            profile = with_power_limit(profile, self.power_limit_w)
        for setting in self.settings:
            profile = with_assignment(profile, setting)
        return profile


def absolute_profile(name_or_path: str) -> str:
    """The profile as another working directory finds it too."""
    path = Path(name_or_path)
    return str(path.resolve()) if path.is_file() else name_or_path


def choose_devices(present: list[Device], words: tuple[str, ...], left_out: Collection[BusCard] = ()) -> list[Device]:
    """The devices to burn in. Raises BadInput naming those present when a word fits none or several.

    A GPU that MIG divides stands for all its shares, also where it is left out.
    """
    present = [device for device in present if device.kind is not DeviceKind.WALL]
    addresses = {card.address for card in left_out}
    out = {device.id for device in present if device.bus_id in addresses}
    present = [device for device in present if not {device.id, device.parent} & out]
    if not words:
        return burnable(present)
    chosen = {device.id for device in (_one(present, word) for word in words)}
    divided = {device.parent for device in present if device.parent}
    return [device for device in present if device.id in chosen - divided or device.parent in chosen]


def _one(present: list[Device], word: str) -> Device:
    exact = [device for device in present if word == device.id]
    fits = exact or [device for device in present if device.id.startswith(word) or word == str(device.index)]
    gpus_first = [device for device in fits if device.kind == "gpu"] or fits
    if len(gpus_first) == 1:
        return gpus_first[0]
    names = ", ".join(device.id for device in present)
    if not fits:
        raise BadInput(tr("{word} matches no device. Present: {names}.", word=repr(word), names=names))
    raise BadInput(tr("{word} matches several devices. Present: {names}.", word=repr(word), names=names))


__all__ = ["BurnOrder", "active_run", "start_run"]

ANSWER_WITHIN_S = START_WITHIN_S + 30.0
NOTICES_FILE = "notices.json"
"""In the data folder, where somebody is to be told of runs; see `core.notify`."""


def start_run(data_dir: Path, order: BurnOrder) -> int:
    """Starts the runner and waits until the run is on record; returns its number.

    Takes a second or more. An order of a fleet that was given before is not started again: its run is returned. Raises
    RigwrightError with the runner's own sentence when it refuses.
    """
    order.validate_words()
    if (run_id := ordered_before(data_dir, order)) is not None:
        return run_id
    if (other_run := active_run(data_dir)) is not None:
        raise EnvironmentProblem(
            tr(
                "A burn-in is already running on this machine with this data folder: run {run}. Watch it with: "
                "{rigwright watch}; stop it with: {rigwright stop}.",
                run=other_run,
            )
        )
    if order.simulate is None and order.resume is None and (lack := lack_of_pytorch()):
        raise EnvironmentProblem(lack)
    with open_log(data_dir / "logs" / "runner.log") as stream:
        command = own_python("-m", "core.burnin.run.runner", "--data-dir", str(data_dir))
        process = _spawn(command, stream, able_to_sign(english_environment()))
    try:
        answer = _answer(process, order)
    finally:
        threading.Thread(target=process.wait, name="reap the runner", daemon=True).start()
    if answer["type"] == "recorded":
        run_id = int(answer["run"])
        if (data_dir / NOTICES_FILE).exists():
            _tell_others(data_dir, run_id)
        return run_id
    if (run_id := _ordered_meanwhile(data_dir, order)) is not None:
        return run_id
    error = RigwrightError(answer["message"])
    error.exit_code = ExitCode(answer["exit_code"])
    raise error


def ordered_before(data_dir: Path, order: BurnOrder) -> int | None:
    """The run of an order that a fleet gave before; None of a new one."""
    if order.fleet_id is None:
        return None
    with closing(RunStore(data_dir)) as store:
        return store.ordered_as(order.fleet_id)


def _ordered_meanwhile(data_dir: Path, order: BurnOrder) -> int | None:
    """The run of the same order that another process has just started: it holds the lock before it is on record."""
    until_s = time.monotonic() + ANSWER_WITHIN_S
    while order.fleet_id is not None:
        other_run = active_run(data_dir)
        if (run_id := ordered_before(data_dir, order)) is not None:
            return run_id
        if other_run is not None or not runner_alive(data_dir) or time.monotonic() > until_s:
            return None
        time.sleep(0.2)
    return None


def active_run(data_dir: Path) -> int | None:
    """The run that is being recorded now, by whichever process; None if there is none."""
    locked = runner_alive(data_dir)
    store = RunStore(data_dir)
    try:
        running = (run.id for run in store.runs() if run.status is RunStatus.RUNNING)
        return next((run_id for run_id in running if locked or runner_lives(store, run_id)), None)
    finally:
        store.close()


def _spawn(command: list[str], log: IO[bytes], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """Starts a process in a session of its own, out of reach of the terminal's Ctrl-C.

    Ctrl-C is held back meanwhile: the new process belongs to the terminal until its session begins. It starts with the
    signal held back, and lets go of it once it has a handler.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=environment, start_new_session=True
        )
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _tell_others(data_dir: Path, run_id: int) -> None:
    """Starts the process that tells of failure and end, by its name: it stands above this package."""
    command = own_python("-m", "core.notify.watcher", "--data-dir", str(data_dir), "--run", str(run_id))
    with open_log(data_dir / "logs" / "notices.log") as stream:
        process = _spawn(command, stream, own_environment())
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    threading.Thread(target=process.wait, name="reap the watcher", daemon=True).start()


def _answer(process: subprocess.Popen[bytes], order: BurnOrder) -> Message:
    """Hands the order over and reads the runner's one line. A runner that does not answer is killed."""
    assert process.stdin is not None
    assert process.stdout is not None
    deadline = threading.Timer(ANSWER_WITHIN_S, process.kill)
    deadline.start()
    try:
        with process.stdin as orders, process.stdout as answers:
            orders.write(order.model_dump_json().encode())
            orders.close()
            line = answers.readline()
    except BrokenPipeError:
        line = b""
    finally:
        deadline.cancel()
    answer = decode(line.decode("utf-8", errors="replace"))
    if answer is None:
        raise EnvironmentProblem(
            tr(
                "The burn-in did not start within {seconds:.0f} s, or ended at once: see logs/runner.log "
                "in the data folder. A driver may be hung.",
                seconds=ANSWER_WITHIN_S,
            )
        )
    return answer
