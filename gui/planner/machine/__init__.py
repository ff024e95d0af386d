"""The picture of the machine on the Plan page."""
