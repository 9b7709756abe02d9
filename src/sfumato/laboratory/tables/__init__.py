"""The studies of the tables engine's papers."""
