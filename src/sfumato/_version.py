"""The version, and the day that it is of."""

__version__ = "0.2.0"
__date__ = (2026, 11, 16)
