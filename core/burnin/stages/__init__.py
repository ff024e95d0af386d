"""The stages of a burn-in: what each finds, what it needs, how it runs and what its result rests on."""

from core.burnin.stages.registry import BY_KIND, STAGES

__all__ = ["BY_KIND", "STAGES"]
