"""Errors that a person should read: each carries one sentence and the exit code that fits it."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What the command line ends with."""

    PASS = 0
    FAIL = 1
    USAGE = 2
    ENVIRONMENT = 3
    INCOMPLETE = 4


class RigwrightError(Exception):
    """Something the user can act on. The message says what happened, why, and what to do.

    Any other exception is a bug: one sentence names the log that holds its traceback.
    """

    exit_code = ExitCode.USAGE

    @property
    def sentence(self) -> str:
        """What it says."""
        return str(self)

    def __str__(self) -> str:
        """Still a message where it was made of one, so that each reader gets it in its own words and units."""
        return self.args[0] if len(self.args) == 1 and isinstance(self.args[0], str) else super().__str__()


class BadInput(RigwrightError):
    """A file, an id or an argument that cannot be used as it is."""


class EnvironmentProblem(RigwrightError):
    """This machine lacks something: a display, space, a driver, a free lock."""

    exit_code = ExitCode.ENVIRONMENT
