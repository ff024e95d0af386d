"""A planned machine: its parts, which card sits where, how it is edited and stored."""
