"""The command that says what this machine offers, what is missing, and what to do about it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import typer
from rich.markup import escape

from core.burnin.record.store import RunStore
from core.burnin.run.recovery import find_interrupted
from core.cli.asking import devices_awaited
from core.cli.options import AsJson, DataDir, console, print_json
from core.cli.window import NEEDED_BY_QT, NEEDED_ON_WAYLAND, NEEDED_ON_X11, find_screen, missing_libraries
from core.machine.asbuilt.inspection import inspect
from core.machine.telemetry.detect import detect_devices
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.kernel_log import follow as kernel_log
from core.parts.catalogue import Catalogue
from core.platform.errors import ExitCode, RigwrightError
from core.platform.libraries import install_command
from core.platform.paths import data_dir
from core.present.report.pdf import CHINESE_FONTS
from core.version import __version__
from core.words import joined, tr, trn

MIN_FREE_GB = 1.0


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """One line of the examination. `needed` ones decide the exit code."""

    title: str
    ok: bool
    text: str
    needed: bool = True


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command(
        "doctor",
        help=tr(
            "Examine this machine: libraries, fonts, driver, torch, data. Exit code 3 if something needed is missing."
        ),
    )(doctor)


def doctor(folder: DataDir = None, as_json: AsJson = False) -> None:
    place = data_dir(folder)
    checks = [
        DoctorCheck(tr("Program"), ok=True, text=f"rigwright {__version__}, Python {sys.version.split()[0]}"),
        _torch(),
        _qt_libraries(),
        _display(),
        _chinese_font(),
        _disk(place),
        _guarded(tr("Catalogue"), _catalogue, place),
        _guarded(tr("Runs"), _runs, place),
        *_devices(),
    ]
    if as_json:
        print_json([asdict(check) for check in checks])
    else:
        for check in checks:
            mark = "[green]ok[/]  " if check.ok else ("[bold red]no[/]  " if check.needed else "[yellow]-[/]   ")
            console.print(f"{mark}{check.title}: {escape(check.text)}")
    if any(check.needed and not check.ok for check in checks):
        raise typer.Exit(ExitCode.ENVIRONMENT)


def _guarded(title: str, examine: Callable[[Path], str], place: Path) -> DoctorCheck:
    try:
        return DoctorCheck(title, ok=True, text=examine(place))
    except RigwrightError as error:
        return DoctorCheck(title, ok=False, text=str(error))


def _torch() -> DoctorCheck:
    try:
        installed = version("torch")
    except PackageNotFoundError:
        text = tr("not installed: nothing can be burned in. Run: {command}", command=install_command())
        return DoctorCheck("PyTorch", ok=False, text=text)
    lacks_cuda = "+cpu" in installed and shutil.which("nvidia-smi") is not None
    if lacks_cuda:
        installed = tr(
            "{version} is the CPU build, but this machine has an NVIDIA driver. Install the CUDA "
            "build of the same version.",
            version=installed,
        )
    return DoctorCheck("PyTorch", ok=not lacks_cuda, text=installed)


def _qt_libraries() -> DoctorCheck:
    text: str = tr("all present")
    if missing := missing_libraries((*NEEDED_BY_QT, *NEEDED_ON_X11, *NEEDED_ON_WAYLAND)):
        text = tr("missing: {libraries}. `make prepare` installs them or says how.", libraries=", ".join(missing))
    return DoctorCheck(tr("Qt's libraries"), ok=not missing, text=text, needed=False)


def _display() -> DoctorCheck:
    screen = find_screen()
    names = ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY", "DISPLAY")
    text = ", ".join(f"{name}={os.environ[name]}" for name in names if os.environ.get(name))
    if screen.problem:
        text = tr("{problem} Every command works without a window.", problem=screen.problem)
    return DoctorCheck(tr("Display"), ok=not screen.problem, text=text or tr("a window can open"), needed=False)


def _chinese_font() -> DoctorCheck:
    import typst

    fonts = [name for name in CHINESE_FONTS if name in typst.Fonts().families()]
    text = fonts[0] if fonts else tr("none: install fonts-wqy-microhei for Chinese text in reports and the window")
    return DoctorCheck(tr("Chinese font"), ok=bool(fonts), needed=False, text=text)


def _disk(place: Path) -> DoctorCheck:
    free_gb = shutil.disk_usage(place).free / 1e9
    text = tr("{free:.1f} GB free in {folder}", free=free_gb, folder=place)
    return DoctorCheck(tr("Disk"), ok=free_gb >= MIN_FREE_GB, text=text)


def _catalogue(place: Path) -> str:
    with closing(Catalogue(place)) as catalogue:
        return trn("{count} part", "{count} parts", count=sum(catalogue.counts().values()))


def _runs(place: Path) -> str:
    with closing(RunStore(place)) as store:
        interrupted = find_interrupted(store, place)
        return joined([tr("{number} recorded", number=len(store.runs())), *(one.sentence for one in interrupted)])


def _devices() -> list[DoctorCheck]:
    try:
        with devices_awaited():
            devices = detect_devices()
    except RigwrightError as error:
        return [DoctorCheck(tr("Devices"), ok=False, text=str(error))]
    gpus = [device for device in devices if device.kind is DeviceKind.GPU]
    names = ", ".join(device.title for device in devices)
    text = names if gpus else tr("{devices}; no GPU to test; --devices cpu burns in the CPU instead", devices=names)
    untested = [DoctorCheck(card.title, ok=False, text=card.sentence, needed=False) for card in inspect(devices).bus]
    present = DoctorCheck(tr("Devices"), ok=True, text=text)
    return [present, *untested, *(check for device in devices for check in _measured(device))]


def _measured(device: Device) -> Iterator[DoctorCheck]:
    """What keeps a device from being measured in full. Nothing of it keeps one from burning in."""
    if device.limited:
        text = tr("measured only in part: {reason}", reason=device.limited)
        yield DoctorCheck(device.title, ok=False, text=text, needed=False)
    if device.inforom_ok is False:
        text = tr("its configuration memory (InfoROM) is damaged")
        yield DoctorCheck(device.title, ok=False, text=text, needed=False)
    if log := device.detail.get("kernel log"):
        yield DoctorCheck(tr("Kernel log"), ok=kernel_log.is_open(), text=log, needed=False)
