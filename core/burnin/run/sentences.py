"""What the supervision of a run says of it, in sentences for its events and interruptions."""

from __future__ import annotations

from core.language import tr
from core.phrasing import duration
from core.protocol import Message

SKIPPED = tr("The user skipped the rest of this stage.")
TOLD_TO_END = tr("The system told the runner to end.")
STOPPED_BY_USER = tr("Stopped by the user.")
NOTHING_SKIPPED = tr("A skip was requested while no stage was running: nothing was skipped.")


def waited(seconds: float) -> str:
    """One turn took so long."""
    return tr(
        "The runner waited {seconds:.0f} s for the disk or the system: nothing was recorded in that time.",
        seconds=seconds,
    )


def stood_still_briefly(seconds: float) -> str:
    """The runner did not run for so long; whether the machine did is not known."""
    return tr("The runner stood still for {seconds:.1f} s: nothing was recorded in that time.", seconds=seconds)


def stood_still(seconds: float, *, alone: bool, loaded: bool) -> str:
    """The runner did not run for so long, `alone` or with the whole machine, while loads ran (`loaded`) or none did."""
    if alone and loaded:
        return tr("The runner froze for {seconds:.1f} s: nothing was recorded or guarded.", seconds=seconds)
    if alone:
        return tr("The runner froze for {seconds:.1f} s while no load ran: nothing was recorded.", seconds=seconds)
    return tr(
        "The whole machine froze for {seconds:.1f} s: nothing was measured or recorded in that time.",
        seconds=seconds,
    )


def unsupervised(device: str, seconds: float) -> str:
    """A load ended itself, and nothing else tells why."""
    return tr(
        "{device} heard nothing from the runner for {seconds:.1f} s: its load ended.", device=device, seconds=seconds
    )


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


def no_telemetry(seconds: float) -> str:
    """The sampler told nothing for so long."""
    return tr("No telemetry for {seconds:.0f} s.", seconds=seconds)


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


def suspended(seconds: float) -> str:
    """The machine slept for so long."""
    return tr("The machine was suspended for {time}: no load ran, and nothing was recorded.", time=duration(seconds))


def not_ready(seconds: float) -> str:
    """A worker did not begin within so long."""
    return tr("Its worker was not ready within {seconds:.0f} s.", seconds=seconds)


def lost(reason: str) -> str:
    """A device does not answer any more."""
    return tr("The device was lost: {reason}", reason=reason)


def cost_of_measuring(cost: Message) -> str:
    """From the sampler's report of its own cost (core.child_reports)."""
    share_pct, slowest = cost.get("cpu_pct", 0.0), cost.get("slowest")
    usual_ms, worst_ms = cost.get("tick_p50_ms", 0.0), cost.get("tick_p99_ms", 0.0)
    if slowest:
        return tr(
            "Sampling took {share:.1f} % of one core, {usual:.0f} ms per sample ({worst:.0f} ms at "
            "worst); the slowest reading: {slowest}.",
            share=share_pct,
            usual=usual_ms,
            worst=worst_ms,
            slowest=slowest,
        )
    return tr(
        "Sampling took {share:.1f} % of one core, {usual:.0f} ms per sample ({worst:.0f} ms at worst).",
        share=share_pct,
        usual=usual_ms,
        worst=worst_ms,
    )
