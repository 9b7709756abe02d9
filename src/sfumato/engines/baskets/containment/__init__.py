"""How many rows contain everything that a row contains."""
