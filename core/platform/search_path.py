"""Code is looked for in folders that are named in full: an empty or relative entry would mean the current folder.

Called before anything else is imported, so this module imports only what every Python has loaded before it.
"""

import os
import sys

SEARCHED = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH")
"""Variables that list folders with programs, modules and libraries."""
_OWN = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def in_full(variables: dict[str, str]) -> dict[str, str]:
    """The variables of a process without entries that are empty or relative; a list of nothing else is left out."""
    listed = {name: _absolute(variables[name]) for name in SEARCHED if name in variables}
    return {name: text for name, text in {**variables, **listed}.items() if text or name not in listed}


def leave_current_folder() -> None:
    """For this process and those it starts. The folder of the program stays, and what PYTHONPATH names in full."""
    named = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    stays = {_OWN, *(entry for entry in named if os.path.isabs(entry))}
    goes = {os.path.abspath(entry) for entry in ("", *named)} - stays
    library = sys.path.index(place) if (place := os.path.dirname(os.__file__)) in sys.path else len(sys.path)
    # What stands before Python's own library was put there by PYTHONPATH or the way of starting.
    sys.path[:] = [entry for entry in sys.path[:library] if os.path.abspath(entry) not in goes] + sys.path[library:]
    environment = in_full(dict(os.environ))
    for name in SEARCHED:
        if name in environment:
            os.environ[name] = environment[name]
        else:
            os.environ.pop(name, None)


def _absolute(text: str) -> str:
    return os.pathsep.join(entry for entry in text.split(os.pathsep) if os.path.isabs(entry))
