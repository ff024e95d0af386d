"""How the file of a build is named."""

SUFFIX = ".rig.json"
