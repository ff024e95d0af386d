"""Power peaks of milliseconds: what cards and processors ask for in five windows of time, and what supplies bear."""
