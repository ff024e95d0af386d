"""Prints the test files that a change can break, nearest first: `make check` runs them for as long as it may.

Changed is what differs from where the branch left origin's main, or else from the last commit; new files count. A test
file is nearest if it changed itself or imports what changed, and farther with each module between. Rows of the
catalogue, templates and other assets belong to the tests that name their folder.
"""

import subprocess
import sys
from pathlib import Path

from tests.import_graph import ROOT, import_graph, module_of


def main() -> None:
    """One file a line."""
    files = [Path(name) for name in changed_files()]
    distances = distances_from({module_of(path) for path in files if path.suffix == ".py"})
    for name in {path.parts[1] for path in files if path.parts[0] == "assets" and len(path.parts) > 2}:
        distances |= {module: 0 for module in import_graph() if module not in distances and _names(module, name)}
    near = {module: distance for module, distance in distances.items() if _is_test(module)}
    for module in sorted(near, key=lambda module: (near[module], module)):
        sys.stdout.write(f"{module.replace('.', '/')}.py\n")


def changed_files() -> list[str]:
    """Paths from the project's root, of files that are still there and of those that are gone."""
    start = _git("merge-base", "origin/main", "HEAD") or "HEAD"
    changed = _git("diff", "--name-only", "--no-renames", start)
    return (changed + "\n" + _git("ls-files", "--others", "--exclude-standard")).split()


def distances_from(changed: set[str]) -> dict[str, int]:
    """How many imports lie between what changed and each module that it reaches."""
    importers: dict[str, set[str]] = {}
    for module, imported in import_graph().items():
        for one in imported | _fixtures(module):
            importers.setdefault(one, set()).add(module)
    distances: dict[str, int] = {}
    reached, distance = changed, 0
    while reached:
        distances |= dict.fromkeys(reached, distance)
        reached = {module for one in reached for module in importers.get(one, ())} - distances.keys()
        distance += 1
    return distances


def _fixtures(module: str) -> set[str]:
    """What pytest imports for a test file, unasked: `conftest` of its folder and of those above."""
    folders = module.split(".")[:-1] if _is_test(module) else []
    return {".".join([*folders[:count], "conftest"]) for count in range(1, len(folders) + 1)}


def _is_test(module: str) -> bool:
    return module.rpartition(".")[2].startswith("test_") and module in import_graph()


def _names(module: str, folder: str) -> bool:
    return _is_test(module) and folder in (ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")


def _git(*words: str) -> str:
    ended = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return ended.stdout.strip() if ended.returncode == 0 else ""


if __name__ == "__main__":
    main()
