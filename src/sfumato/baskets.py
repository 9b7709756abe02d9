"""Sparse 0/1 rows (purchases, diagnoses, words): hide every person among k."""

from ._front_door import open_door

open_door(__name__)
