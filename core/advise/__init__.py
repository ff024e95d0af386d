"""What to change: fixes for findings, and which parts of the catalogue fit a build."""
