"""Lists what nothing in core and gui uses, as vulture sees it: python packaging/unused.py, ends with 1 if there is any.

The settings are in pyproject.toml. Tests do not count: what only they call belongs to them. Passed over are fields of a
class, which files and JSON name where code need not, places of a row counted by `range`, and local variables, which
ruff reports.
"""

import sys
from collections.abc import Sequence
from linecache import getline

from vulture.config import make_config
from vulture.core import Item, Vulture


def unused(paths: Sequence[str] = ()) -> list[Item]:
    """Classes, functions, attributes and constants without a use in `paths`, or else in those of pyproject.toml."""
    config = make_config(list(paths))
    code = Vulture(ignore_names=config["ignore_names"], ignore_decorators=config["ignore_decorators"])
    code.scavenge(config["paths"])
    items = code.get_unused_code(min_confidence=config["min_confidence"])
    return [item for item in items if item.typ != "variable" or _is_constant(item)]


def _is_constant(item: Item) -> bool:
    line = getline(str(item.filename), item.first_lineno)
    return not line[0].isspace() and " = range(" not in line


if __name__ == "__main__":
    reports = [item.get_report() for item in unused(sys.argv[1:])]
    print(*reports, sep="\n", end="\n" if reports else "")  # noqa: T201
    sys.exit(bool(reports))
