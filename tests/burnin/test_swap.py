"""A fault is told from its company: what was at every place where it showed, and at none where it did not."""

from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.burnin.record.rows import MACHINE, Outcome, Reason, ResultStatus, StageResult, Verdict
from core.burnin.record.store import RunStore
from core.burnin.swap.instructions import answer_words, instruction
from core.burnin.swap.reasoning import CardInRun, Conclusion, Suspect, what_it_followed
from core.burnin.swap.session import begin, finding_of, keep_test, not_moved, read_test, short_order
from core.errors import BadInput, EnvironmentProblem
from tests.gui.burnin.fake_run import FakeRun, gpu

SLOTS = ("41:00.0", "61:00.0", "81:00.0")


def placement(run, card, slot, culprit, cable=None, psu=None):
    cable, psu = cable or f"cable {slot}", psu or f"PSU {slot}"
    return CardInRun(run, card, slot, (cable,), psu, culprit in (card, slot, cable, psu))


def after_moves(culprit):
    """Cards a and b in slots 0 and 1, c beside them; first the cards change places, then cables, then PSUs."""
    first, second, third = SLOTS
    runs = []
    cards, cables, psus = ["a", "b"], ["cable 1", "cable 2"], ["PSU 1", "PSU 2"]
    for number, moved in enumerate((None, cards, cables, psus), start=1):
        if moved is not None:
            moved.reverse()
        runs += [
            placement(number, card, slot, culprit, cable, psu)
            for card, slot, cable, psu in zip(cards, (first, second), cables, psus, strict=True)
        ]
        runs.append(placement(number, "c", third, culprit))
    return runs


@pytest.mark.parametrize(
    ("culprit", "part"),
    [("a", Suspect.CARD), (SLOTS[0], Suspect.SLOT), ("cable 1", Suspect.CABLE), ("PSU 1", Suspect.PSU)],
)
def test_the_part_at_fault_is_found_by_moving_one_after_the_other(culprit, part):
    seen = after_moves(culprit)
    assert what_it_followed(seen).parts == ((part, culprit),)
    assert what_it_followed(seen).answer is Conclusion.FOUND


def test_a_card_is_told_from_all_else_by_one_move():
    assert what_it_followed(after_moves("a")[:6]).parts == ((Suspect.CARD, "a"),)
    of_slot = what_it_followed(after_moves(SLOTS[0])[:6])
    assert of_slot.answer is Conclusion.OPEN
    assert [part for part, _ in of_slot.parts] == [Suspect.CABLE, Suspect.PSU, Suspect.SLOT]
    assert of_slot.next_move is Suspect.CABLE


@given(st.sampled_from(["a", "b", *SLOTS[:2], "cable 1", "cable 2", "PSU 1", "PSU 2"]), st.integers(1, 4))
def test_what_is_at_fault_is_never_ruled_out(culprit, runs):
    seen = [one for one in after_moves(culprit) if one.run <= runs]
    assert culprit in {name for _, name in what_it_followed(seen).parts}


def test_a_fault_that_does_not_come_back_is_contact():
    seen = [*after_moves("a")[:3], *(placement(2, card, slot, "") for card, slot in zip("bac", SLOTS, strict=True))]
    assert what_it_followed(seen).answer is Conclusion.GONE


def test_two_faults_are_not_one():
    seen = [placement(1, "a", SLOTS[0], "a"), placement(1, "b", SLOTS[1], "b"), placement(1, "c", SLOTS[2], "")]
    assert what_it_followed(seen).answer is Conclusion.SEVERAL


def judged_run(folder, places, failed):
    """A run of cards by serial number at places, of which those failed whose serial or place is named."""
    cards = [
        gpu(index, id=f"GPU-{serial}", serial=serial, bus_id=slot, simulated=False)
        for index, (serial, slot) in enumerate(places)
    ]
    with closing(FakeRun(folder, cards)) as run:
        run.begin(2, 0.0)
        verdicts = [Verdict(MACHINE, Outcome.FAIL, ())]
        for card in cards:
            bad = card.serial in failed or card.bus_id in failed
            status = ResultStatus.FAILED if bad else ResultStatus.PASSED
            run.store.add_result(run.id, StageResult(2, card.id, status, "Wrong results." if bad else ""))
            outcome = Outcome.FAIL if bad else Outcome.PASS
            verdicts.append(Verdict(card.id, outcome, (Reason(outcome, "x", criterion="stage", stage=2),)))
        run.store.finish(run.id, verdicts)
        return run.id


@pytest.fixture
def store(tmp_path):
    with closing(RunStore(tmp_path)) as opened:
        yield opened


def test_a_test_goes_from_the_failed_run_to_its_answer(tmp_path, store):
    base = judged_run(tmp_path, zip("ABC", SLOTS, strict=True), failed="A")
    test = begin(store, base)
    assert (test.suspect, test.partner) == ("GPU-A", "GPU-B")
    words = instruction(store, test, finding_of(store, test))
    assert "swap GPU 0 (NVIDIA GeForce RTX 3090, serial number A) in 41:00.0 with GPU 1 in 61:00.0" in words
    assert "--moved card" in words
    order = short_order(store, test)
    assert order.stages == ("preflight", "gemm")
    assert order.wanted_profile().seconds < 60
    test = test.after(Suspect.CARD, judged_run(tmp_path, zip("BAC", SLOTS, strict=True), failed="A"))
    keep_test(tmp_path, test)
    assert read_test(tmp_path) == test
    finding = finding_of(store, test)
    assert finding.parts == ((Suspect.CARD, "GPU-A"),)
    assert answer_words(finding) == "The fault follows the card GPU-A. Replace the card."
    assert instruction(store, test, finding) == ""


def test_a_fault_that_stays_asks_for_the_next_move(tmp_path, store):
    test = begin(store, judged_run(tmp_path, zip("ABC", SLOTS, strict=True), failed=[SLOTS[0]]))
    test = test.after(Suspect.CARD, judged_run(tmp_path, zip("BAC", SLOTS, strict=True), failed=[SLOTS[0]]))
    finding = finding_of(store, test)
    assert finding.next_move is Suspect.CABLE
    assert "swap the power cables of" in instruction(store, test, finding)
    test = test.after(Suspect.CABLE, judged_run(tmp_path, zip("BAC", SLOTS, strict=True), failed=[SLOTS[1]]))
    assert finding_of(store, test).parts == ((Suspect.CABLE, f"cable of {SLOTS[0]}"),)


def test_a_card_that_still_sits_where_it_sat_is_told(tmp_path, store):
    base = judged_run(tmp_path, zip("ABC", SLOTS, strict=True), failed="A")
    test = begin(store, base)
    devices = [row.device for row in store.devices(base)]
    assert "is still at 41:00.0" in not_moved(store, test, devices)
    assert "is not present" in not_moved(store, test, devices[1:])


def test_without_one_failed_card_it_must_be_named(tmp_path, store):
    base = judged_run(tmp_path, zip("ABC", SLOTS, strict=True), failed="AB")
    with pytest.raises(BadInput, match="GPU 0 and GPU 1 failed: name the card"):
        begin(store, base)
    assert begin(store, base, "1").suspect == "GPU-B"
    with pytest.raises(BadInput, match="matches no card"):
        begin(store, base, "7")


def test_a_test_that_was_begun_when_a_psu_was_called_supply_goes_on(tmp_path, store):
    base = judged_run(tmp_path, zip("ABC", SLOTS, strict=True), failed="A")
    keep_test(tmp_path, begin(store, base).after(Suspect.PSU, base))
    path = tmp_path / "swap-test.json"
    path.write_text(path.read_text().replace('"psu"', '"supply"'))
    assert [step.moved for step in read_test(tmp_path).steps] == [Suspect.PSU]


def test_a_damaged_file_is_told(tmp_path):
    assert read_test(tmp_path) is None
    (tmp_path / "swap-test.json").write_text("{}")
    with pytest.raises(EnvironmentProblem, match="it is damaged"):
        read_test(tmp_path)
