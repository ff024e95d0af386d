"""Asks in the terminal before what cannot be undone, or costs hours."""

from __future__ import annotations

import sys

import typer

LONG_S = 600.0
"""A run that has measured for longer is not stopped by a slip of the hand."""


def can_ask() -> bool:
    """Whether somebody sits before the terminal: neither a pipe nor a script."""
    streams = (sys.stdin, sys.stderr)
    return all(stream is not None and stream.isatty() for stream in streams)


def agrees(question: str) -> bool:
    """The answer on the terminal; anything but yes is no."""
    return typer.confirm(question, default=False, err=True)
