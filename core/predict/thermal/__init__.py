"""Air, heat and temperature: what cards and processors reach when training goes on for hours."""
