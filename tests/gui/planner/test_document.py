import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.plan.build import Build
from core.plan.edits import AddPart, PlaceCards, RemovePart, SetDetails, SetQuantity
from core.platform.errors import BadInput, EnvironmentProblem
from tests.gui.conftest import FIRST_ATTEMPT, QUIET

PART_IDS = ("corsair-ax1600i", "noctua-nf-a14x25-g2-ls-pwm")


EDITS = st.one_of(
    st.builds(SetDetails, name=st.text(min_size=1, max_size=5)),
    st.builds(SetDetails, region=st.sampled_from(["us-120v-15a", "cn-220v-10a"])),
    st.tuples(st.integers(0, 10), st.integers(1, 9)),
    st.tuples(st.integers(0, 10), st.lists(st.integers(1, 7), max_size=3, unique=True)),
    st.integers(0, 10),
)


def made(choice, document):
    """An edit of whatever line the number falls on."""
    lines = document.build.lines
    match choice:
        case SetDetails():
            return choice
        case (number, int(quantity)):
            return SetQuantity(lines[number % len(lines)].part.id, quantity)
        case (number, list(slots)):
            return PlaceCards(lines[number % len(lines)].part.id, tuple(slots))
        case number:
            return RemovePart(lines[number % len(lines)].part.id)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(choices=st.lists(EDITS, max_size=8))
def test_undoing_everything_gives_the_build_as_it_was_opened(document, choices):
    document.open(QUIET)
    opened, states = document.build, []
    for choice in choices:
        if document.build.lines:
            states.append(document.build)
            try:
                document.edit(made(choice, document))
            except BadInput:
                assert document.build == states[-1]
    last = document.build
    while document.undo_stack.canUndo():
        document.undo_stack.undo()
    assert document.build == opened
    while document.undo_stack.canRedo():
        document.undo_stack.redo()
    assert document.build == last


def test_an_edit_that_changes_nothing_is_not_remembered(document):
    document.edit(SetDetails(name=document.build.name))
    assert not document.undo_stack.canUndo()


def test_what_a_widget_asks_for_and_does_not_apply_is_refused_in_a_sentence(qtbot, document):
    document.open(QUIET)
    before = document.build
    with qtbot.waitSignal(document.refused) as refusal:
        assert not document.try_edit(RemovePart("no-such-part"))
    assert "no-such-part" in refusal.args[0]
    assert refusal.args[0].endswith(".")
    assert document.build is before
    assert not document.dirty
    with qtbot.assertNotEmitted(document.refused):
        assert document.try_edit(SetDetails(name="Another"))


def test_findings_follow_every_change(document, catalogue):
    document.open(QUIET)
    quiet = {finding.message for finding in document.assessment.findings}
    document.edit(SetDetails(region="us-120v-15a"))
    assert {finding.message for finding in document.assessment.findings} != quiet
    document.undo_stack.undo()
    assert {finding.message for finding in document.assessment.findings} == quiet


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": "rigwright-build", "version": 99}', "\x00\xff"])
def test_a_damaged_file_is_refused_and_the_open_build_stays(document, tmp_path, content):
    document.open(QUIET)
    before = document.build
    damaged = tmp_path / "damaged.rig.json"
    damaged.write_bytes(content.encode("latin-1"))
    with pytest.raises(BadInput, match="damaged"):
        document.open(damaged)
    assert document.build is before
    assert document.path == QUIET


def test_saving_makes_it_clean_and_a_failed_save_does_not(document, tmp_path):
    document.open_template(FIRST_ATTEMPT)
    document.edit(SetDetails(name="六卡"))
    with pytest.raises(EnvironmentProblem):
        document.save(tmp_path / "no" / "such" / "folder.rig.json")
    assert document.dirty
    document.save(tmp_path / "六卡.rig.json")
    assert not document.dirty
    saved = document.build
    document.new()
    document.open(tmp_path / "六卡.rig.json")
    assert document.build == saved


def test_a_template_opens_without_a_path_so_that_it_is_not_overwritten(document):
    document.open_template(QUIET)
    assert document.path is None
    assert document.suggested_file_name() == "Six RTX 3090, quiet.rig.json"


def test_a_name_that_no_file_may_have_gives_a_file_name_all_the_same(document):
    document.edit(SetDetails(name='a/b\\c:"?\n'))
    assert document.suggested_file_name() == "a b c.rig.json"


def test_recovered_work_counts_as_unsaved_until_it_is_saved(document, tmp_path):
    from core.plan.file import dump_build

    document.recover(dump_build(Build(name="Back")), tmp_path / "back.rig.json")
    assert document.dirty
    document.save(tmp_path / "back.rig.json")
    assert not document.dirty


@pytest.mark.parametrize("part_id", PART_IDS)
def test_the_undo_menu_names_the_part(document, catalogue, part_id):
    part = catalogue.require(part_id)
    document.edit(AddPart(part))
    assert part.title in document.undo_stack.undoText()
