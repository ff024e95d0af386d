"""Every job without a window: the command `rigwright`."""

from core.cli.app import main

__all__ = ["main"]
