"""The version and its date."""

__version__ = "0.2.0"
__date__ = (2026, 11, 16)
