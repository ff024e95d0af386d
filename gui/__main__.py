"""`python -m gui`: opens the window, first of all without the current folder."""

import sys

from core.platform.search_path import leave_current_folder

if __name__ == "__main__":
    leave_current_folder()
    from gui.shell.app import main

    sys.exit(main(sys.argv[1:]))
