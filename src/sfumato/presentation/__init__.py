"""What the engines share for their parts of a report: numbers in words, sentences, charts, glossaries."""
