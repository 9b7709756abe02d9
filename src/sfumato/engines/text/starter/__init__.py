"""A small linear model, learned from public corpora and shipped with the package, for documents without labels."""
