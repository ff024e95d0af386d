"""Training loads: real networks on one fixed batch that lies on the device, a loss that must fall."""
