"""Every job without a window: the command `rigwright`."""
