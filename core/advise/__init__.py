"""What to change: mends for findings, and which parts of the catalogue fit a build."""
