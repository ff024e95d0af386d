"""What keeps a device busy and proves that it computes correctly: the only place that imports torch."""
