"""When the runner stops loads by itself. Pure decisions; the supervision acts on them."""
