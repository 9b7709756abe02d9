"""Feature selectors whose answer is k-anonymous by containment, in scikit-learn's forms."""
