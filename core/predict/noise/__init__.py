"""Noise: laws of sound, the levels of parts, what the case does to them, and the machine at the ear."""
