"""From labelled documents to a frontier of candidates: read, label, fit, judge."""
