"""Labelling from nothing: questions worth asking, a learner for half answers, and the risk they tell."""
