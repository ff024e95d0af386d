"""Where the command `rigwright` begins: first of all without the current folder, then with everything else."""

from core.platform.search_path import leave_current_folder


def main() -> int:
    """Entry of the command; see `core.cli.app.main`."""
    leave_current_folder()
    from core.cli.app import main as command

    return command()
