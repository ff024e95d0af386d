"""The swap test: a suspect card is moved and burned in again, and what the fault followed is told."""
