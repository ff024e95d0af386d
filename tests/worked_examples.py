"""The worked examples of CONTRIBUTING.md, by their heading."""

import re
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

DOCUMENT = Path(__file__).parents[1] / "CONTRIBUTING.md"


@cache
def examples(heading: str) -> tuple[str, ...]:
    """The blocks of code under "## HEADING"."""
    chapter = DOCUMENT.read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"```\w+\n(.*?)```", chapter, re.DOTALL)
    assert blocks, heading
    return tuple(blocks)


def example(heading: str) -> str:
    """The first of them."""
    return examples(heading)[0]


def module(heading: str, name: str) -> ModuleType:
    """The example as a module that can be imported by this name."""
    made = ModuleType(name)
    sys.modules[name] = made
    exec(compile(example(heading), f"{DOCUMENT}: {heading}", "exec"), vars(made))
    return made
