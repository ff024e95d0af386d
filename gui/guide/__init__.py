"""Help on the way: command palette, list of shortcuts, what is still missing, manual, about."""
