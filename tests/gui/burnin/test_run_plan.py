"""The plan stands behind the measurement: bands in the charts, slot, link and serial number on the cards."""

import pytest

from core.burnin.record.rows import Event, EventLevel, ResultStatus, StageResult, StageStatus
from core.burnin.verdict.predicted import PlannedRun
from core.machine.asbuilt.as_built import AsBuilt, BuiltCard, MachineFacts
from core.plan.file import dump_build, load_build
from gui.burnin.chart.overlays import scenery
from gui.burnin.dialogs.failed_card import WhichCardDialog
from gui.burnin.words import place_words
from gui.widgets.theme import theme
from tests.gui.burnin.fake_run import gpu
from tests.gui.conftest import QUIET

CARDS = [gpu(index) for index in range(6)]


@pytest.fixture
def planned_run(fake_run, catalogue):
    """A run of six cards that are those of a plan."""

    def make(profile="quick-test"):
        plan = load_build(QUIET, catalogue.part)
        run = fake_run(CARDS, build=dump_build(plan), profile=profile)
        run.plan = plan
        return run

    return make


@pytest.fixture
def planned(planned_run, recorded):
    """The same; the first is known to sit in slot 3."""
    run = planned_run()
    card = BuiltCard(CARDS[0].id, CARDS[0].name, slot="PCIE3", position=3, serial="1320219000017")
    run.store.set_as_built(run.id, AsBuilt("2026-01-01T00:00:00+00:00", MachineFacts(), (card,)))
    run.begin(2, 0.0)
    run.ticks(range(30))
    return recorded(run)[0]


def test_every_stage_has_the_band_of_its_load(planned):
    ids = [device.id for device in CARDS]
    low, high = planned.plan.band("gemm", "power_w", ids)
    assert 200 < low < high < 400
    rest = planned.plan.band("idle", "power_w", ids)
    assert rest[1] < low
    assert planned.plan.band("preflight", "power_w", ids) is None
    assert planned.plan.band("gemm", "clock_mhz", ids) is None


def test_a_chart_shows_the_band_and_says_it(planned, board):
    board.set_recording(planned)
    chart = board.chart("power_w")
    (band,) = chart._backdrop._scenery.predicted
    assert (band.start_s, band.end_s) == (0.0, 29.0)
    assert f"plan {band.low:.0f} to {band.high:.0f}" in chart._title.text()
    low, high = chart.view.viewRange()[1]
    assert low <= band.low < band.high <= high
    assert "plan" not in board.chart("clock_mhz")._title.text()


def test_a_stage_without_a_prediction_is_not_held_against_that_of_the_one_before(planned_run, recorded, board):
    run = planned_run()
    run.begin(2, 0.0)
    run.ticks(range(20))
    run.store.end_stage(run.id, 2, 20.0, StageStatus.DONE)
    run.begin(4, 20.0)
    run.ticks(range(20, 30))
    board.set_recording(recorded(run)[0])
    chart = board.chart("power_w")
    assert len(chart._backdrop._scenery.predicted) == 1
    assert "plan" not in chart._title.text()


def swept(run):
    """A sweep of float32, float16 and float16 beside memory, 8 s each; the load begins 2 s after its stage."""
    run.begin(2, 0.0)
    load, run.load = run.load, 0.0
    run.ticks(range(2))
    run.load = load
    run.ticks(range(2, 26))
    periods = {"float32": (0.0, 8.0), "float16": (8.0, 16.0), "float16+memory": (16.0, 24.0)}
    evidence = {"periods": periods, "power_by_format_w": {"float32": 300.0, "float16": 340.0, "float16+memory": 341.0}}
    run.store.end_stage(run.id, 2, 26.0, StageStatus.DONE)
    for device in run.devices:
        run.store.add_result(run.id, StageResult(2, device.id, ResultStatus.PASSED, "", evidence))
    run.load = 0.0


def of_rates(recording):
    return scenery(recording, "throughput_tflops", recording.devices, ()).predicted


def test_each_format_of_a_sweep_has_the_band_of_its_rate(planned_run, recorded, board):
    run = planned_run()
    swept(run)
    recording, _ = recorded(run)
    single, half = of_rates(recording)
    assert (single.start_s, single.end_s, half.start_s, half.end_s) == (2.0, 10.0, 10.0, 18.0)
    predicted = PlannedRun(run.plan).rates("gemm", CARDS[0])
    assert (single.low, single.high) == (predicted["float32"].low, predicted["float32"].high)
    assert (half.low, half.high) == (predicted["float16"].low, predicted["float16"].high)
    board.set_recording(recording)
    chart = board.chart("throughput_tflops")
    assert chart._backdrop._scenery.predicted == (single, half)
    assert f"plan {half.low:.1f} to {half.high:.1f}" in chart._title.text()


def test_a_sweep_that_goes_on_has_no_band_since_nobody_knows_its_format(planned):
    assert of_rates(planned) == ()


@pytest.mark.parametrize(
    ("power_by_format_w", "hottest"),
    [
        ({"float32": 300.0, "float16": 340.0, "float16+memory": 341.0}, "float16"),
        ({"float16": 300.0, "float16+memory": 345.0}, None),
    ],
    ids=["the hottest format", "products beside a memory stream"],
)
def test_a_soak_has_the_band_of_the_hottest_format_and_none_beside_a_stream(
    planned_run, recorded, power_by_format_w, hottest
):
    run = planned_run("standard")
    kinds = [stage.kind for stage in run.profile.stages]
    sweep, soak = kinds.index("gemm"), kinds.index("soak")
    run.store.start_stage(run.id, sweep, 0.0, run.boot)
    run.store.end_stage(run.id, sweep, 1.0, StageStatus.DONE)
    for device in CARDS:
        evidence = {"power_by_format_w": power_by_format_w}
        run.store.add_result(run.id, StageResult(sweep, device.id, ResultStatus.PASSED, "", evidence))
    run.store.start_stage(run.id, soak, 1.0, run.boot)
    run.load = 1.0
    run.ticks(range(1, 20))
    bands = [(band.start_s, band.end_s, band.low, band.high) for band in of_rates(recorded(run)[0])]
    predicted = PlannedRun(run.plan).rates("soak", CARDS[0])
    assert bands == ([(1.0, 19.0, predicted[hottest].low, predicted[hottest].high)] if hottest else [])


def test_a_card_says_where_it_sits(planned):
    words = place_words(CARDS[0], planned.plan.place(CARDS[0].id))
    assert words.startswith("PCIE3, ")
    assert "serial 1320219000017" in words
    assert "planned" in words
    assert "serial" not in place_words(CARDS[1], planned.plan.place(CARDS[1].id))


def test_a_run_without_a_plan_predicts_nothing(fake_run, recorded):
    recording, _ = recorded(fake_run())
    assert recording.plan.band("gemm", "power_w", [gpu(0).id]) is None
    assert place_words(gpu(0), recording.plan.place(gpu(0).id)) == "41:00.0"


def test_the_board_shows_which_card_to_pull(planned, qtbot):
    planned.devices[0].take_event(Event(1, 5.0, "", CARDS[0].id, EventLevel.ERROR, "lost", "gone"))
    dialog = WhichCardDialog(planned, planned.devices[0])
    qtbot.addWidget(dialog)
    dialog.show()
    assert "GPU 0 LOST" in dialog.title.text()
    assert "serial 1320219000017" in dialog.where.text()
    assert dialog.errors.text() == "lost; first at 0:05"
    picture = dialog.board.grab().toImage()
    red = theme().color("fail")
    shown = sum(picture.pixelColor(x, y) == red for x in range(0, picture.width(), 4) for y in range(picture.height()))
    assert shown > 100


def test_a_card_of_unknown_slot_has_no_drawing(planned, qtbot):
    dialog = WhichCardDialog(planned, planned.devices[1])
    qtbot.addWidget(dialog)
    assert dialog.board is None
