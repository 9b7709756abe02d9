"""Learners behind one small protocol."""
