"""The person behind the words: how many people of a population fit what a row and its note say together."""
