"""Many machines, each with an ordinary run of its own: what a machine tells, how its recording travels."""
