"""A proven lower bound on every frontier of a table."""
