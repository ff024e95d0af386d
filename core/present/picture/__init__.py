"""The machine drawn to scale: side and rear, with heat, air, cables and links; one drawing for window and files."""
