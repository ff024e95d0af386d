"""Where things lie: shipped assets beside the packages, and the user's data folder."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryFile

import platformdirs

from core.errors import EnvironmentProblem

ASSETS = Path(__file__).resolve().parent.parent / "assets"


def usual_data_dir(chosen: Path | None = None) -> Path:
    """The data folder, whether it can be used or not: `chosen`, else the platform's place for user data."""
    return (chosen or Path(platformdirs.user_data_dir("rigwright"))).expanduser().absolute()


def data_dir(chosen: Path | None = None) -> Path:
    """The folder of databases and run logs, made if missing.

    `chosen` comes from `--data-dir`; otherwise the platform's place for user data.
    Raises EnvironmentProblem when it cannot be made or written.
    """
    folder = usual_data_dir(chosen)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise EnvironmentProblem(
            f"The data folder {folder} cannot be used: {error.strerror}. Choose another with --data-dir."
        ) from error
    return folder
