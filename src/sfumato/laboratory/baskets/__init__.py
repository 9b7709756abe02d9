"""The studies of the baskets engine's papers."""
