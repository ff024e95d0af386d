"""The predictions against measured cases: what was predicted, what was measured, and how far both are apart."""
