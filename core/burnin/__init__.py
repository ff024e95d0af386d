"""Profiles, stages, the runner and its guards, the recording, verdict and recovery."""
