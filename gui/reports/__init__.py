"""Writing reports from the window."""
