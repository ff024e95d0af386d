"""Documents made of a build or a run, and their writers."""
