"""Releases together: how many people, rows or documents remain for someone who holds two of them."""
