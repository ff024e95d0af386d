"""The Plan page: a build, what is wrong with it, and what it will draw, cost and sound like."""
