"""Fits the few parameters of the predictions that a measured run determines, and refuses the others."""
