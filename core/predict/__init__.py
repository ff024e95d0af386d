"""Power and noise of a build under a load: pure functions, each result with a band."""
