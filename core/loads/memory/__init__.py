"""Loads on memory and on the link to the host: patterns in all of it, its bandwidth, verified transfers."""
