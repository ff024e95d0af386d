"""What all tests share."""

from __future__ import annotations

import os

from hypothesis import settings

# Property tests run on busy machines too, where a slow example is no failure. The suite tries the same examples each
# time, so that a change is judged by what it changes; `make soak` looks for new ones.
settings.register_profile("new-examples", deadline=None)
settings.register_profile("same-examples", deadline=None, derandomize=True)
settings.load_profile("same-examples")

# A command that prints into a file or pipe takes no heed of a terminal's width, whoever started the tests.
os.environ.pop("COLUMNS", None)

# Hundreds of processes are started, each of which would compile the program anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
