"""Rows of zeros and ones: grouped, partitioned, with targets."""
