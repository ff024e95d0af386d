"""What viewers know of a run follows from its recording alone."""

import math

import pytest

from core.burnin.record.rows import MACHINE, EventLevel, Outcome, Reason, ReasonCriterion, Verdict
from core.burnin.verdict.codes import ErrorKind
from gui.burnin.chart.overlays import spans, union
from gui.burnin.recording import NOT_MEASURED, THROTTLED, Changed, abnormal
from gui.burnin.run.verdict_banner import VerdictBanner
from gui.burnin.words import error_words


@pytest.fixture
def sampled(fake_run, recorded):
    """The first of two devices as it is known while samples of a metric come, and when all are read afterwards."""

    def record(metric, values):
        run = fake_run()
        recording, follower = recorded(run)
        for second, value in enumerate(values):
            run.store.add_tick(run.id, second, {run.devices[0].id: {metric: value}})
            recording.apply(follower.poll())
        afterwards = recorded(run)[0]
        assert not recording.devices[1].errors
        return recording.devices[0], afterwards.devices[0]

    return record


@pytest.mark.parametrize(
    ("values", "expected"),
    [((40.0, 60.0, None, 50.0), (50, 40, 60, 50)), ((40.0, None), (None, 40, 40, 40))],
    ids=["all samples", "a sensor that falls silent keeps its extremes"],
)
def test_statistics_are_those_of_all_samples(sampled, values, expected):
    for record in sampled("temperature_c", values):
        figures = record.statistics("temperature_c")
        assert (figures.now, figures.lowest, figures.highest, figures.mean) == expected


def test_what_was_never_measured_has_no_figures(fake_run, recorded):
    run = fake_run()
    run.tick(0)
    recording, _ = recorded(run)
    assert recording.devices[0].statistics("loss") is NOT_MEASURED
    assert not recording.measured("loss")
    assert recording.measured("temperature_c")


@pytest.mark.parametrize(
    ("counts", "total", "first_at_s"),
    [
        ([None, 0, 0], 0, None),
        ([0, 1, 3, 3], 3, 1),
        ([0, 2, None, 0, 0], 2, 1),
        ([2, None, 1], 3, 0),
        ([5], 5, 0),
        ([0, 1, 4, 0, 2], 6, 1),
    ],
)
def test_errors_of_several_loads_add_up_live_and_afterwards(sampled, counts, total, first_at_s):
    live, afterwards = sampled("errors", counts)
    assert live.errors == afterwards.errors
    assert live.errors.counts.get(ErrorKind.WRONG_RESULT, 0) == total
    assert live.errors.first_at_s == first_at_s


def test_an_error_event_marks_its_device(fake_run, recorded):
    run = fake_run()
    run.event(7.5, "The device was lost.", EventLevel.ERROR, "lost", device=run.devices[1].id)
    first, second = recorded(run)[0].devices
    assert (first.errors.first_at_s, second.errors.first_at_s) == (None, 7.5)


@pytest.mark.parametrize(
    ("kinds", "wrong", "error_text"),
    [
        ([], 0, "No errors"),
        (["xid"], 0, "1 Xid error"),
        (["xid", "xid", "lost"], 0, "lost, 2 Xid errors"),
        (["wrong", "failed"], 3, "3 wrong results"),
        (["aer", "died", "guard"], 0, "1 link error, worker died"),
        (["guard", "frozen"], 0, "2 failures"),
    ],
)
def test_errors_are_told_by_kind_and_never_as_none_on_a_failed_card(fake_run, recorded, kinds, wrong, error_text):
    run = fake_run()
    device = run.devices[0].id
    for second, kind in enumerate(kinds):
        run.event(second, "Something went wrong.", EventLevel.ERROR, kind, device=device)
    run.store.add_tick(run.id, 9, {device: {"errors": wrong}})
    record = recorded(run)[0].devices[0]
    assert error_words(record.errors) == error_text
    assert (record.errors.first_at_s is None) == (error_text == "No errors")


def test_memory_errors_from_before_the_run_are_not_counted(sampled):
    for record in sampled("ecc_uncorrected", [2, 2, None, 3, 5]):
        assert error_words(record.errors) == "3 uncorrectable memory errors"
        assert record.errors.first_at_s == 3


def test_abnormal_throttling_is_kept_and_the_power_limit_is_normal(sampled):
    for record in sampled("throttle_mask", [1, 4, 0x24, 0x24, 4, 0x48, None]):
        throttled = record.series[THROTTLED]
        assert throttled.values[:-1].tolist() == [0, 0, 1, 1, 0, 1]
        assert math.isnan(throttled.values[-1])
        picture = throttled.window(0, 10)
        assert spans(picture.time_s, picture.high) == [(2, 4), (5, 6)]


@pytest.mark.parametrize(
    ("several", "joined"),
    [
        ([], []),
        ([[], []], []),
        ([[(0, 1), (5, 6)], [(0.5, 2)]], [(0, 2), (5, 6)]),
        ([[(0, 10)], [(2, 3)]], [(0, 10)]),
        ([[(3, 4)], [(1, 3)]], [(1, 4)]),
    ],
)
def test_throttling_of_several_devices_is_joined(several, joined):
    assert union(several) == joined


@pytest.mark.parametrize(("mask", "count"), [(None, 0), (0, 0), (1, 0), (4, 0), (5, 0), (0x24, 1), (0x68, 3)])
def test_only_abnormal_reasons_are_said(mask, count):
    assert len(abnormal(mask)) == count


def test_an_update_says_what_it_brought(fake_run, recorded):
    run = fake_run()
    recording, follower = recorded(run)
    assert recording.apply(follower.poll()) is Changed.NOTHING
    run.tick(0)
    assert recording.apply(follower.poll()) is Changed.SAMPLES
    run.begin(0, 1.0)
    assert recording.apply(follower.poll()) == Changed.STAGES | Changed.EVENTS
    run.finish()
    assert Changed.RUN in recording.apply(follower.poll())
    assert not recording.running


def test_what_the_machine_says_of_a_card_beside_stands_in_the_banner(fake_run, recorded, qtbot):
    run = fake_run(burned=1)
    burned, beside = run.devices[:2]
    listed = Reason(Outcome.FAIL, f"{burned.title}: FAIL", criterion=ReasonCriterion.DEVICE, about=burned.id)
    remark = Reason(Outcome.FAIL, f"{beside.title}: Xid 79.", criterion=ReasonCriterion.REMARK, about="xid")
    run.store.finish(run.id, [Verdict(MACHINE, Outcome.FAIL, (remark, listed))])
    recording, _ = recorded(run)
    banner = VerdictBanner()
    qtbot.addWidget(banner)
    banner.set_recording(recording)
    assert remark.text in banner.reasons.text()
    assert listed.text not in banner.reasons.text()
