"""Which card sits in which slot, what link it really gets there, and which arrangement is best."""
