"""Language models on a build: what of them fits its memory, and how fast they generate and train."""
