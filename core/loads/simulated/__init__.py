"""Loads that compute nothing, for tests and demonstrations."""
