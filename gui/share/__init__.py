"""The window's ways to other people: lists to copy, one page, purchasing, comparison, and lists pasted in."""
