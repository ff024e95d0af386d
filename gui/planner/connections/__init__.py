"""How the parts are connected: paths between GPUs, power cables, and the PSU that feeds what."""
