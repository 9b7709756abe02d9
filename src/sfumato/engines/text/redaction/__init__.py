"""Apply chosen classifiers to documents and replace what they redact."""
