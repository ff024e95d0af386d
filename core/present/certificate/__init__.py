"""The certificate of a run: one page for whoever buys or accepts the machine, two of curves and reasons behind it."""
