"""Publishing cells instead of columns: single ones are suppressed, and every row stays."""
