"""`python -m core.cli` is the command `rigwright`."""

import sys

from core.cli.start import main

sys.exit(main())
