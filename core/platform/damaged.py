"""A file of the program's own that cannot be read any more: kept aside, told of once, and done without."""

from __future__ import annotations

from itertools import count
from pathlib import Path

from core.platform.os_reasons import reason_of
from core.words import tr

SUFFIX = ".damaged"


def set_aside(path: Path, what: str, instead: str) -> str:
    """Renames the file to NAME.damaged, or NAME.damaged-2 where that is taken, and says so in a sentence.

    `what` it is begins the sentence, `instead` says what holds now, both without a full stop.
    """
    names = (path.with_name(f"{path.name}{SUFFIX}{f'-{number}' if number > 1 else ''}") for number in count(1))
    aside = next(name for name in names if not name.exists() and not name.is_symlink())
    try:
        path.rename(aside)
    except OSError as error:
        return tr(
            "{what} ({path}) cannot be read, and could not be set aside: {reason}. {instead}.",
            what=what,
            path=path,
            reason=reason_of(error),
            instead=instead,
        )
    return tr(
        "{what} ({path}) could not be read and was set aside as {aside}. {instead}.",
        what=what,
        path=path,
        aside=aside.name,
        instead=instead,
    )
