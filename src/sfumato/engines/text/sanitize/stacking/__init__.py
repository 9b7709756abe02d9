"""Forms of a publisher that combine several classifiers."""
