"""The burn-in page: starts a run, follows its recording, shows what it measures."""
