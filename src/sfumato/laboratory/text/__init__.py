"""The studies of the text engine's papers."""
