"""What the program needs of the operating system and of files: paths, database, processes, errors."""
