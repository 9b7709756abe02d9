"""Feature selection under k-anonymity by containment (paper 004)."""
