"""What published rows disclose, by knowledge of items and by inference."""
