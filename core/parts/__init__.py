"""What a part is, where parts are stored and how they are searched."""
