"""The engine's part of a report: facts, sentences, charts."""
