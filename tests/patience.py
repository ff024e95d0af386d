"""How long a test waits for what must come, before it says that it never will.

No bound of the product: on a machine with much other work a process may take a minute to start. What the product must
do within seconds is asserted with those seconds.
"""

PATIENCE_S = 120.0
