"""Measure a written file from its labels alone, sharing nothing with the search."""
