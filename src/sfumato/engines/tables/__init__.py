"""The risk–utility frontier of de-identification policies (paper 002)."""
