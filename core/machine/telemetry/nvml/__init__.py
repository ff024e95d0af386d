"""What NVIDIA GPUs tell: everything that talks to NVML."""
