"""Releases together: how many people, rows or documents are left to somebody who holds two of them."""
