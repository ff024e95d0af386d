"""The table of the parts in the build."""
