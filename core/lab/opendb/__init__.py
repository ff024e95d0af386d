"""Reads BuildCores OpenDB, a public data set of 50,000 consumer parts, into the catalogue."""
