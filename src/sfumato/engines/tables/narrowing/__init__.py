"""How many people of a population fit what a row and its note say together."""
