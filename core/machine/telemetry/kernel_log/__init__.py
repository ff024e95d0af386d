"""The kernel's log by records: one parser for each kind, gathered line by line, from the kernel itself or a file."""
