"""Files and frames in, files out: documents, tables, baskets; streaming and columnar."""
