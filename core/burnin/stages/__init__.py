"""The stages of a burn-in: what each finds, what it needs, how it runs and what its result rests on."""
