"""Selectors in the manner of scikit-learn."""
