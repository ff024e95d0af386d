"""The verdict: what was recorded, held against the criteria; each reason with its figure, limit and source."""

from core.burnin.verdict.judge import judge, worst
from core.burnin.verdict.recorded import Recorded

__all__ = ["Recorded", "judge", "worst"]
