"""Tables over time that meters, loggers and tools export: encodings, times, columns, units; watts at the wall."""
