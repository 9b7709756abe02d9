"""Releasing: apply chosen classifiers to documents, replace what they redact, write the release."""
