"""Silence that lasts too long: of a worker, of the sensors."""

from __future__ import annotations

from core.burnin.profile.profile import Guards


def stalled(silent_s: float, guards: Guards) -> str | None:
    """A sentence when a worker under load has been silent for longer than it should."""
    if silent_s < guards.stalled_after_s:
        return None
    return f"No heartbeat for {silent_s:.0f} s: the load stalls. It is ended after {guards.heartbeat_timeout_s:g} s."


def heartbeat_breach(silent_s: float, guards: Guards) -> str | None:
    """A sentence when a worker under load has been silent for too long."""
    if silent_s < guards.heartbeat_timeout_s:
        return None
    return f"No heartbeat for {silent_s:.0f} s: the device or its driver hangs. The worker was ended."


def telemetry_breach(silent_s: float, guards: Guards, waits_for: str | None = None) -> str | None:
    """A sentence when nothing has been measured for too long: nothing burns blind. `waits_for` is what hangs."""
    if silent_s < guards.telemetry_timeout_s:
        return None
    why = f": {waits_for} does not answer" if waits_for else ""
    return f"No telemetry for {silent_s:.0f} s{why}. All loads were stopped, because nothing burns unwatched."


def blind_breach(silent_s: float, guards: Guards) -> str | None:
    """A sentence when one device has not been measured for too long, although others are."""
    if silent_s < guards.telemetry_timeout_s:
        return None
    return f"No telemetry of this device for {silent_s:.0f} s. Its load was stopped, because nothing burns unwatched."
