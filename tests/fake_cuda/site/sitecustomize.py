"""Runs when a Python starts that has this folder on its path: torch then finds the cards of the stand-in."""

import os
import sys
from pathlib import Path

if "FAKE_CUDA" in os.environ:
    sys.path.append(str(Path(__file__).parents[1]))
    import fake_torch

    fake_torch.stand_in()
