"""The recording of a run: its rows as values, the database, how samples are read, and what they say."""
