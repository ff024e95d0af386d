"""A machine as the texts of common tools describe it: dmidecode, lspci, lshw, inxi, nvidia-smi and others."""
