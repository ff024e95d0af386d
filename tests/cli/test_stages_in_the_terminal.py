"""The line of stages in the terminal says how each stage ended, and calls none well in which a device failed."""

from __future__ import annotations

import pytest

from core.burnin.record.rows import ResultStatus, StageResult, StageRow, StageStatus
from core.cli.follow import stage_words

PASSED, FAILED, DIED, STOPPED, NOT_RUN = (
    ResultStatus.PASSED, ResultStatus.FAILED, ResultStatus.DIED, ResultStatus.STOPPED, ResultStatus.NOT_RUN,
)  # fmt: skip


@pytest.mark.parametrize(
    ("status", "results", "says"),
    [
        (StageStatus.DONE, (PASSED, PASSED), "GEMM ok"),
        (StageStatus.DONE, (PASSED, NOT_RUN), "GEMM ok"),
        (StageStatus.DONE, (PASSED, FAILED), "GEMM FAILED"),
        (StageStatus.DONE, (DIED, PASSED), "GEMM FAILED"),
        (StageStatus.DONE, (STOPPED, PASSED), "GEMM not finished"),
        (StageStatus.DONE, (NOT_RUN, NOT_RUN), "GEMM NOT RUN"),
        (StageStatus.RUNNING, (PASSED,), "GEMM 50%"),
        (StageStatus.SKIPPED, (STOPPED,), "GEMM skipped"),
        (StageStatus.PENDING, (), "GEMM pending"),
    ],
)
def test_a_stage_is_told_as_it_ended(status: StageStatus, results: tuple[ResultStatus, ...], says: str) -> None:
    stage = StageRow(1, "gemm", "GEMM", 10.0, status, 0.5, 0.0, 10.0, "boot")
    found = [StageResult(1, f"GPU-{place}", result, "") for place, result in enumerate(results)]
    elsewhere = StageResult(0, "GPU-0", FAILED, "")
    assert stage_words(stage, [elsewhere, *found]) == says
