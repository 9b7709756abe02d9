"""Attacking: adversaries with an inspection budget, the paper's bounds, and attacks on written releases."""
