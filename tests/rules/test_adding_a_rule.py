"""A rule is one place: its file and its line in the registry are all that check, fixes, fits and explain need."""

import subprocess
import sys
from pathlib import Path

from core.rules.registry import RULES
from tests.worked_examples import example

ROOT = Path(__file__).resolve().parents[2]

REGISTRY_LINE = """
from core.rules import registry
from office import OFFICE_RULES
registry.RULES = (*registry.RULES, *OFFICE_RULES)
registry.BY_ID["office-length"] = OFFICE_RULES[0]
"""
USES = """
from typer.testing import CliRunner
from core.advise.fit_verdict import ASKED
from core.advise.fits import figures_of
from core.advise.fixes import fixes
from core.cli.app import app
from core.parts.query import Hit
from core.parts.vocabulary import Category
from core.rules.engine import check
from tests.rules.machines import changed, good_build, part

class Parts:
    short = part("gpu", suffix="-short", length_mm=250)

    def find(self, query):
        return [Hit(self.short.id, Category.GPU, self.short.title, "", None, self.short.origin)]

    def part(self, part_id):
        return self.short

def of(build):
    return next(one for one in check(build) if one.rule == "office-length")

build = good_build()
assert of(build).status == "pass", of(build)
long = changed(build, "gpu", length_mm=300)
found = of(long)
assert (found.status, found.measured, found.limit) == ("fail", 300, 280), found
assert "office-length" in [rule.id for rule in ASKED] and "length_mm" in figures_of(Category.GPU)
(fix, *_) = fixes(long, found, Parts())
assert of(fix.edit.apply(long)).status == "pass", fix
told = CliRunner().invoke(app, ["explain", "office-length"]).stdout
assert "The shelf is 280 mm deep." in told and "length" in told, told
"""


def test_a_rules_file_and_its_line_in_the_registry_are_enough(tmp_path: Path) -> None:
    (tmp_path / "office.py").write_text(example("A rule"), encoding="utf-8")
    search = f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(ROOT)!r}]"
    script = "\n".join((search, REGISTRY_LINE, USES))
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr


def test_no_module_outside_the_rules_knows_one_by_its_id() -> None:
    """They ask the rule; a word such as ups is other things, too, an id of several words is not."""
    ids = {rule.id for rule in RULES if "-" in rule.id}
    modules = [path for layer in ("core", "gui") for path in (ROOT / layer).rglob("*.py")]
    others = [path for path in modules if not path.is_relative_to(ROOT / "core" / "rules")]
    assert len(others) > 600
    texts = {path: path.read_text("utf-8") for path in others}
    named = {f"{path.relative_to(ROOT)}: {one}" for path, text in texts.items() for one in ids if f'"{one}"' in text}
    assert named == set()
