"""Publishing cells instead of columns: single ones are left out, and every row stays."""
