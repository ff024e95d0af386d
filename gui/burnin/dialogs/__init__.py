"""Meters, notices and the failed card: dialogs that a run opens."""
