"""What a run measured, as calibrating, references and comparisons take it: its own samples, and the files of meters."""
