"""Sanitizing: GreedySanitize, cross-fitting, the competition of forms, and the classifiers that result."""
