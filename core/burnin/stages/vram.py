"""Memory patterns: the rest in which cells that forget show belongs to the time of the stage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.burnin.stages.loading import LoadStage

FADE = "fade_s"


class Vram(LoadStage):
    """Patterns, and at the end a rest if one is asked for."""

    def stretched(self, params: Mapping[str, Any], factor: float) -> dict[str, Any]:
        """The rest shrinks with the stage, which it would outlast otherwise; a longer stage writes more patterns."""
        return {**params, **({FADE: params[FADE] * min(factor, 1.0)} if FADE in params else {})}
