"""The devices of a run beside its charts, and cards in their slots."""
