"""A small linear model, learned from public corpora and shipped with the package, that reads before anybody has labelled."""
