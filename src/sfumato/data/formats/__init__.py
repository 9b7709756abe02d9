"""One module per document format; each reads and writes its format."""
