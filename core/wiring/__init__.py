"""Which output of which supply feeds which socket, by which cable."""
