"""Fans against panels and radiators: the operating point where a fan's pressure meets what the air's way resists."""
