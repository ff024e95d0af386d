"""The units of a card that matrix products never touch: special functions, atomics, copy engines, video."""
