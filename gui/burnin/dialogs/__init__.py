"""Dialogs of a run: noise and wall power, its microphone, whom it notifies, and a card that failed."""
