"""What `make check` runs after a change."""

from tests.changed import distances_from
from tests.import_graph import import_graph


def test_a_test_is_as_near_as_there_are_imports_between() -> None:
    near = distances_from({"core.parts.catalogue"})
    assert near["core.parts.catalogue"] == 0
    assert near["tests.parts.test_catalogue"] == 1
    assert near["tests.gui.planner.test_page"] > 1


def test_whoever_uses_a_fixture_follows_the_file_that_has_it() -> None:
    near = distances_from({"tests.cli.conftest"})
    assert near["tests.cli.test_commands"] == 1
    assert "tests.rules.test_verdicts" not in near


def test_a_module_that_is_gone_or_new_concerns_those_that_name_it() -> None:
    assert distances_from({"core.no_such_module"}) == {"core.no_such_module": 0}


def test_imports_inside_functions_and_for_types_alone_count() -> None:
    assert "tests.import_graph" in import_graph()["tests.changed"]
    assert "gui.shell.app" in import_graph()["gui.__main__"]
    assert all(module != one for module, imported in import_graph().items() for one in imported)
