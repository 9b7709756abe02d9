"""From a matrix to a frontier of candidate releases."""
