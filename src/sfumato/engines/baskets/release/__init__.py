"""From a candidate and a matrix to a written release."""
