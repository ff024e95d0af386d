"""Loads that several devices run together. Each device's worker starts a process of its own for its rank."""
