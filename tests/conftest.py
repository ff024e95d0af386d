"""What all tests share."""

from __future__ import annotations

import os
import tempfile

from hypothesis import settings

# Property tests run on busy machines too, where a slow example is no failure.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")

# A command that prints into a file or pipe takes no heed of a terminal's width, whoever started the tests.
os.environ.pop("COLUMNS", None)

# Locks of devices and sockets of windows are this process's own, beside other tests that burn in the same CPU.
os.environ["XDG_RUNTIME_DIR"] = tempfile.mkdtemp(prefix="rigwright-")

# Hundreds of processes are started, each of which would compile the program anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
