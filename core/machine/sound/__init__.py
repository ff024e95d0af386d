"""Levels of sound: from samples of a microphone to dBA. Knows nothing of builds, devices or runs."""
