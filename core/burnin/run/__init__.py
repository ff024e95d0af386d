"""A run from its order to its verdict: setup, runner, supervision, recovery, and viewers that follow it."""
