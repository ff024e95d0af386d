"""How the file of a build is named: apart from `file`, since the window is painted before part models are loaded."""

SUFFIX = ".rig.json"
