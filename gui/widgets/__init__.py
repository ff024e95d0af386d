"""Small widgets and dialogues that several pages use."""
