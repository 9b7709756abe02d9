"""Search strategies under one budget."""
