"""`python -m core.cli` is the command `rigwright`."""

import sys

from core.cli.app import main

sys.exit(main())
