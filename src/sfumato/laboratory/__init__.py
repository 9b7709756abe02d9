"""The laboratory: the papers' studies, figures and baselines; nothing here takes part in a release."""
