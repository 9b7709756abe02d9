"""Suppression of columns, cells or rows, and combinations of these."""
