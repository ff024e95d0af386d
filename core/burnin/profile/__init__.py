"""Profiles: stages with their durations, guards and criteria; their files, and what an order changes in them."""
