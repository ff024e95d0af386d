"""The best machine for a wish, of all parts that have a price, with the proof that none is better."""
