"""The load on the machine itself: all processors, a part of the memory and a disk at once, every result checked."""
