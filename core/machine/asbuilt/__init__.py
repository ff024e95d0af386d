"""The machine as it was built: read before a run, bound to the slots of the plan, compared with it line by line."""
