"""One run of a recording as a file of its own, to be taken to another machine: a copy by SQLite's backup, never of a
file that is being written."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from core.burnin.record.reader import FILE
from core.burnin.record.rows import RunStatus
from core.burnin.record.schema import migrations
from core.burnin.record.store import RunStore
from core.platform.database import explained, open_database
from core.platform.errors import BadInput
from core.words import tr


def write_pack(data_dir: Path, run_id: int, folder: Path) -> Path:
    """Puts a recording that holds this run alone into `folder`, a folder of its own; returns the file.

    Raises BadInput for a run that does not exist or still goes on.
    """
    with closing(RunStore(data_dir)) as store:
        if store.run(run_id).status is RunStatus.RUNNING:
            raise BadInput(tr("Run {run} still goes on. Wait for it, or stop it first.", run=run_id))
        path = folder / FILE
        for name in (FILE, f"{FILE}-wal", f"{FILE}-shm"):
            (folder / name).unlink(missing_ok=True)
        store.copy_to(path)
    with explained(path), closing(open_database(path, migrations)) as copy:
        copy.execute("DELETE FROM runs WHERE id != ?", (run_id,))
        copy.execute("DELETE FROM deleted_runs")
        copy.execute("UPDATE numbers SET newest = ?1, counted_after = ?1", (run_id,))
        copy.execute("DELETE FROM processes")
        copy.conn.commit()
        copy.vacuum()
        copy.disable_wal()
    return path
