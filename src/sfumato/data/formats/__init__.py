"""One file for each form in which documents are kept; each can read and write its form."""
