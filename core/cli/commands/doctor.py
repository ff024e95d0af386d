"""The command that says what this machine offers, what is missing, and what to do about it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import typer
from rich.markup import escape

from core.asbuilt.inspection import inspect
from core.burnin.record.store import RunStore
from core.burnin.run.recovery import find_interrupted
from core.cli.options import AsJson, DataDir, console, print_json
from core.cli.patience import devices_awaited
from core.cli.window import NEEDED_BY_QT, NEEDED_ON_WAYLAND, NEEDED_ON_X11, find_screen, missing_libraries
from core.errors import ExitCode, RigwrightError
from core.language import english, joined, tr, trn
from core.parts.catalogue import Catalogue
from core.paths import data_dir
from core.pytorch import install_command
from core.report.pdf import CHINESE_FONTS
from core.telemetry.detect import detect_devices
from core.telemetry.device import Device, DeviceKind
from core.telemetry.kernel_log.follow import CLOSED
from core.version import __version__

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
        _guarded(tr("Catalogue"), lambda: _catalogue(place)),
        _guarded(tr("Runs"), lambda: _runs(place)),
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


def _guarded(title: str, examine: Callable[[], DoctorCheck]) -> DoctorCheck:
    try:
        return examine()
    except RigwrightError as error:
        return DoctorCheck(title, ok=False, text=str(error))


def _torch() -> DoctorCheck:
    try:
        found = version("torch")
    except PackageNotFoundError:
        text = tr("not installed: nothing can be burned in. Run: {command}", command=install_command())
        return DoctorCheck("PyTorch", ok=False, text=text)
    if "+cpu" in found and shutil.which("nvidia-smi"):
        return DoctorCheck(
            "PyTorch",
            ok=False,
            text=tr(
                "{version} is the CPU build, but this machine has an NVIDIA driver. Install the CUDA "
                "build of the same version.",
                version=found,
            ),
        )
    return DoctorCheck("PyTorch", ok=True, text=found)


def _qt_libraries() -> DoctorCheck:
    missing = missing_libraries((*NEEDED_BY_QT, *NEEDED_ON_X11, *NEEDED_ON_WAYLAND))
    if not missing:
        return DoctorCheck(tr("Qt's libraries"), ok=True, text=tr("all present"), needed=False)
    return DoctorCheck(
        tr("Qt's libraries"),
        ok=False,
        needed=False,
        text=tr("missing: {libraries}. `make prepare` installs them or says how.", libraries=", ".join(missing)),
    )


def _display() -> DoctorCheck:
    screen = find_screen()
    if screen.problem:
        text = tr("{problem} Every command works without a window.", problem=screen.problem)
        return DoctorCheck(tr("Display"), ok=False, text=text, needed=False)
    names = ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY", "DISPLAY")
    found = ", ".join(f"{name}={os.environ[name]}" for name in names if os.environ.get(name))
    return DoctorCheck(tr("Display"), ok=True, text=found or tr("a window can open"), needed=False)


def _chinese_font() -> DoctorCheck:
    import typst

    found = [name for name in CHINESE_FONTS if name in typst.Fonts().families()]
    text = found[0] if found else tr("none: install fonts-wqy-microhei for Chinese text in reports and the window")
    return DoctorCheck(tr("Chinese font"), ok=bool(found), needed=False, text=text)


def _disk(place: Path) -> DoctorCheck:
    free_gb = shutil.disk_usage(place).free / 1e9
    return DoctorCheck(
        tr("Disk"), ok=free_gb >= MIN_FREE_GB, text=tr("{free:.1f} GB free in {folder}", free=free_gb, folder=place)
    )


def _catalogue(place: Path) -> DoctorCheck:
    catalogue = Catalogue(place)
    try:
        return DoctorCheck(
            tr("Catalogue"), ok=True, text=trn("{count} part", "{count} parts", count=sum(catalogue.counts().values()))
        )
    finally:
        catalogue.close()


def _runs(place: Path) -> DoctorCheck:
    store = RunStore(place)
    try:
        interrupted = find_interrupted(store, place)
        text = tr("{number} recorded", number=len(store.runs()))
        return DoctorCheck(tr("Runs"), ok=True, text=joined([text, *(found.sentence for found in interrupted)]))
    finally:
        store.close()


def _devices() -> list[DoctorCheck]:
    try:
        with devices_awaited():
            devices = detect_devices()
    except RigwrightError as error:
        return [DoctorCheck(tr("Devices"), ok=False, text=str(error))]
    gpus = [device for device in devices if device.kind is DeviceKind.GPU]
    names = ", ".join(device.title for device in devices)
    found = DoctorCheck(
        tr("Devices"),
        ok=True,
        text=names if gpus else tr("{devices}; no GPU to test; --devices cpu burns in the CPU instead", devices=names),
    )
    untested = [DoctorCheck(card.title, ok=False, text=card.sentence, needed=False) for card in inspect(devices).bus]
    return [found, *untested, *(check for device in devices for check in _measured(device))]


def _measured(device: Device) -> Iterator[DoctorCheck]:
    """What keeps a device from being measured in full. Nothing of it keeps one from burning in."""
    if device.limited:
        yield DoctorCheck(
            device.title, ok=False, text=tr("measured only in part: {reason}", reason=device.limited), needed=False
        )
    if device.inforom_ok is False:
        yield DoctorCheck(
            device.title, ok=False, text=tr("its configuration memory (InfoROM) is damaged"), needed=False
        )
    if log := device.detail.get("kernel log"):
        yield DoctorCheck(tr("Kernel log"), ok=english(log) != english(CLOSED), text=log, needed=False)
