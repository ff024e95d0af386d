"""The picture of the board: slots, cards, their links, and how cards are arranged."""
