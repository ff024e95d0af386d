"""What other tools logged of GPUs: one recogniser, one parser for each kind of file, one value."""
