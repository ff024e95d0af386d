"""Which output of which PSU feeds which socket, by which cable."""
