"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

# Property tests run on busy machines too, where a slow example is no failure.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")
