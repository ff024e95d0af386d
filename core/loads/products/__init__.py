"""Loads that multiply matrices, and what they share: number formats, operands, known answers, comparisons."""
