"""From a table to a frontier of candidate policies."""
