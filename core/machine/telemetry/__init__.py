"""What this machine measures: NVML, host sensors and simulated devices behind one interface."""
