"""Compatibility: many small pure rules, one engine, one kind of result."""
