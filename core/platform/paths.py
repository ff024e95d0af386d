"""Where things lie: shipped assets beside the packages, and the user's data folder."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryFile

import platformdirs

from core.platform.errors import EnvironmentProblem
from core.platform.os_reasons import reason_of
from core.words import tr

ASSETS = Path(__file__).resolve().parents[2] / "assets"


def usual_data_dir(chosen: Path | None = None) -> Path:
    """The data folder, whether it can be used or not: `chosen`, else the platform's place for user data."""
    return (chosen or Path(platformdirs.user_data_dir("rigwright"))).expanduser().absolute()


def data_dir(chosen: Path | None = None) -> Path:
    """The folder of databases and run logs, made for its owner alone if missing.

    `chosen` comes from `--data-dir`; otherwise the platform's place for user data.
    Raises EnvironmentProblem when it cannot be made or written.
    """
    folder = usual_data_dir(chosen)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # what was chosen may be shared on purpose
        if folder == usual_data_dir() and folder.stat().st_mode & 0o077:
            folder.chmod(0o700)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise EnvironmentProblem(
            tr(
                "The data folder {folder} cannot be used: {reason}. Choose another with {--data-dir}.",
                folder=folder,
                reason=reason_of(error),
            )
        ) from error
    return folder


def recordings_dir(chosen: Path | None = None) -> Path:
    """The data folder to read from, which may lie on a read-only medium or a full disk; made if missing.

    Raises EnvironmentProblem when it cannot be made.
    """
    folder = usual_data_dir(chosen)
    return folder if folder.is_dir() else data_dir(chosen)
