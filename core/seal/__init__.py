"""Seals: statements signed with the installation's key, and the files that carry them."""
