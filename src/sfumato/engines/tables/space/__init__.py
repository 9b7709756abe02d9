"""Which policies there are, and which of them the steward allows."""
