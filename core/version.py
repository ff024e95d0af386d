"""The version of the program, in this one place: packages, reports and recordings read it."""

__version__ = "0.1.0"
