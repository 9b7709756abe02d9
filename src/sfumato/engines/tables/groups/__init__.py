"""Groups of equal rows, people or histories, and which of them are too small."""
