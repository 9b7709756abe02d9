"""How outputs come to the disk: whole or not at all, in place of earlier outputs only, private where they must be."""
