"""How fast a machine trains: what each card computes, what the links between them take away, and what fits."""
