"""Generalise a table: explore risk against usefulness, choose a policy, publish."""

from ._front_door import open_door

open_door(__name__)
