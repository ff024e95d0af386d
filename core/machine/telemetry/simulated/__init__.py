"""GPUs that are not there: simulated ones with scripted faults, and recorded ones played back; marked everywhere."""
