"""How outputs are written to disk: whole or not at all, replacing only earlier outputs, private where they must be."""
