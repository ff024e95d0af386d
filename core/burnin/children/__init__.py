"""The processes that the runner starts: the sampler, one worker for each device, and how they end."""
