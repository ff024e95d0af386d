"""What the machine around the GPUs tells: processors, board, drives."""
