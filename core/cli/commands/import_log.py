"""The command that opens a log of another tool as a recording: imported, not judged."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from core.burnin.record.sample_files import import_log as keep_log
from core.cli.lookup import find_build
from core.cli.options import AsJson, DataDir, console, print_json
from core.machine.telemetry.tool_logs.reading import read_tool_log
from core.machine.telemetry.tool_logs.value import ToolLog
from core.platform.foreign import read_text
from core.platform.paths import data_dir
from core.present.report.document import Paragraph
from core.present.report.formatting import bullets
from core.present.report.terminal import print_blocks
from core.words import duration, tr, trn


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command(
        "import-log",
        help=tr(
            "Import a log of another tool as a recording, not judged: nvidia-smi (CSV, dmon), dcgmi dmon, scrapes of "
            "dcgm-exporter or nvidia_gpu_exporter, HWiNFO, GPU-Z. It is listed by runs, opened in the window, compared "
            "with runs, and used by calibrate; it never gets a verdict."
        ),
    )(import_log)


def import_log(
    file: Annotated[Path, typer.Argument(help=tr("The log."))],
    interval: Annotated[
        float | None, typer.Option(min=0.01, max=3600, help=tr("Seconds between two rows, where the log has no times."))
    ] = None,
    fields: Annotated[
        str | None,
        typer.Option(help=tr("Of a CSV of nvidia-smi without heading: the fields of its query, in their order.")),
    ] = None,
    build: Annotated[str | None, typer.Option(help=tr("The build file that it is compared with."))] = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    log = read_tool_log(file, interval_s=interval, fields=fields.split(",") if fields else ())
    plan = read_text(find_build(build)) if build else None
    run_id = keep_log(data_dir(folder), file, log, build=plan)
    if as_json:
        print_json({"run": run_id, "imported": True} | _as_dict(log))
    else:
        _print(run_id, log)


def _as_dict(log: ToolLog) -> dict[str, Any]:
    devices = [
        logged.device.as_dict() | {"rows": len(logged.times_s), "metrics": sorted(logged.series)}
        for logged in log.devices
    ]
    return {
        "tool": log.tool.value,
        "started_at": log.started_at.isoformat() if log.started_at else None,
        "seconds": log.seconds,
        "devices": devices,
        "remarks": list(log.remarks),
    }


def _print(run_id: int, log: ToolLog) -> None:
    console.print(
        tr(
            "Run {run}: {tool}, imported, not judged. {rows}, {length}.",
            run=run_id,
            tool=log.tool.value,
            rows=trn("{count} row", "{count} rows", count=log.rows),
            length=duration(log.seconds),
        )
    )
    devices = (f"{one.device.label}, {one.device.title}: {', '.join(sorted(one.series))}" for one in log.devices)
    print_blocks(console, [Paragraph(bullets((*devices, *log.remarks)))])
    if log.interval_assumed:
        console.print(tr("If its rows are further apart, import it again with --interval SECONDS."))
    console.print(tr("Compare it with a plan: rigwright calibrate BUILD --run {run}", run=run_id))
