"""What engines use to tell their part of a report: numbers in words, shared sentences, charts, glossaries."""
