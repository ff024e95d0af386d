"""A burn-in from its plan to its verdict: the page, the view of a run, and what stands in it."""
