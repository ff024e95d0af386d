"""How long a test waits for what should come at once."""

SOON_S = 10.0
"""A stop is heeded within a second, and a worker that lost its parent is gone in half of one. A machine that others use
as well gets this much more; the loads that are stopped would last a minute."""
