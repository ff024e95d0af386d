"""The main job on a machine without a display: plan, check, predict, detect, burn in, report."""

from __future__ import annotations

from pathlib import Path

from rich.markup import escape

from core.assessment import Assessment
from core.burnin.run.order import BurnOrder, choose_devices, start_run
from core.cli.asking import devices_awaited
from core.cli.commands.report import build_document_of, run_document_of
from core.cli.follow import follow_to_the_end
from core.cli.lookup import read_priced_build
from core.cli.options import console
from core.cli.plan_text import print_findings, print_prediction, print_summary, without_passed
from core.cli.recorded_run import tell_interrupted
from core.machine.asbuilt.inspection import inspect
from core.machine.telemetry.detect import burnable, detect_devices
from core.platform.errors import ExitCode
from core.present.report.write import write_report
from core.words import tr

TEMPLATE = "digits-devbox"
PROFILE = "quick-test"


def run(place: Path, why: str) -> ExitCode:
    """Does the job in the terminal; `why` says what the window lacks. Returns the verdict's exit code."""
    console.print(tr("{why} The terminal takes over from here.", why=escape(why)) + "\n")
    build, guide = read_priced_build(TEMPLATE, place)
    _heading(tr("Check of a template build"))
    assessment = Assessment(build, guide=guide)
    print_findings(build, without_passed(assessment.findings))
    print_summary(assessment)
    _heading(tr("Prediction"))
    print_prediction(assessment)
    _heading(tr("Devices of this machine"))
    with devices_awaited():
        present = detect_devices()
    on_bus = inspect(present).bus
    devices = ("cpu",) if not (on_bus or burnable(present)) else ()
    for title in (*(one.title for one in choose_devices(present, devices)), *(one.sentence for one in on_bus)):
        console.print(f"  {escape(title)}")
    _heading(tr("Burn-in, about a minute"))
    tell_interrupted(place)
    with devices_awaited():
        run_id = start_run(place, BurnOrder(profile=PROFILE, devices=devices))
    code = follow_to_the_end(place, run_id, as_json=False)
    _heading(tr("Reports"))
    reports = place / "reports"
    reports.mkdir(exist_ok=True)
    for stem, document in (
        (f"build-{TEMPLATE}", build_document_of(TEMPLATE, place)),
        (f"run-{run_id}", run_document_of(place, run_id)),
    ):
        for suffix in (".html", ".pdf", ".json"):
            console.print(f"  {escape(str(write_report(document, reports / f'{stem}{suffix}')))}")
    return code


def _heading(title: str) -> None:
    console.print(f"\n[bold]== {title} ==[/]")
