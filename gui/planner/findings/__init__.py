"""What the rules found, what they could not check, and suggested fixes."""
