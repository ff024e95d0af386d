"""Rigwright without a window: parts, builds, rules, predictions, burn-in and reports."""

__version__ = "0.1.0"
