"""Everything a user does to the catalogue: import, own parts, corrections, prices, coverage."""
