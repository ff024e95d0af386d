"""What is predicted of the planned machine: figures with their bands, curves, speed, limits, calibration."""
