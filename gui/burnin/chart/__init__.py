"""The charts of a run: what they show, how they are drawn, and which time they show."""
