"""The table as counts of occupied cells, and the loops over them."""
