"""The people of tables and the labels that each was published with, in two releases."""
