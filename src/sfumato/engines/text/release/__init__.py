"""From a candidate and documents to a written release."""
