"""What the supervision of a run says of it, in sentences for its events and interruptions."""

from __future__ import annotations

from core.language import tr
from core.protocol import Message

SKIPPED = tr("The user skipped the rest of this stage.")
TOLD_TO_END = tr("The system told the runner to end.")
STOPPED_BY_USER = tr("Stopped by the user.")
NOTHING_SKIPPED = tr("A skip was requested while no stage was running: nothing was skipped.")


def sampler_frozen(seconds: float) -> str:
    """Somebody stopped it for so long."""
    return tr("The sampler was frozen from outside (SIGSTOP) for {seconds:.1f} s and went on.", seconds=seconds)


def sampler_replaced(seconds: float, *, frozen: bool) -> str:
    """It told nothing for so long."""
    if frozen:
        return tr(
            "The sampler was frozen from outside (SIGSTOP) for {seconds:.1f} s: another one took its place.",
            seconds=seconds,
        )
    return tr("The sampler told nothing for {seconds:.1f} s: another one took its place.", seconds=seconds)


def was_held(seconds: float) -> str:
    """Another program held the recording for so long."""
    return tr(
        "Another program held the recording for {seconds:.0f} s: what was measured meanwhile was written after it.",
        seconds=seconds,
    )


def held_too_long(seconds: float) -> str:
    """It still does."""
    return tr(
        "Another program has held the recording for {seconds:.0f} s: the run was ended. Close that program, then "
        "resume the run.",
        seconds=seconds,
    )


def not_ready(seconds: float) -> str:
    """A worker did not begin within so long."""
    return tr("Its worker was not ready within {seconds:.0f} s.", seconds=seconds)


def lost(reason: str) -> str:
    """A device does not answer any more."""
    return tr("The device was lost: {reason}", reason=reason)


def cost_of_measuring(cost: Message) -> str:
    """From the sampler's report of its own cost (core.child_reports)."""
    slowest, fields = cost.get("slowest"), {"share": cost.get("cpu_pct", 0.0)}
    fields |= {"usual": cost.get("tick_p50_ms", 0.0), "worst": cost.get("tick_p99_ms", 0.0)}
    if slowest:
        return tr(
            "Sampling took {share:.1f} % of one core, {usual:.0f} ms per sample ({worst:.0f} ms at "
            "worst); the slowest reading: {slowest}.",
            slowest=slowest,
            **fields,
        )
    return tr("Sampling took {share:.1f} % of one core, {usual:.0f} ms per sample ({worst:.0f} ms at worst).", **fields)
