"""Releases together: how many people are left to somebody who holds two of them."""
