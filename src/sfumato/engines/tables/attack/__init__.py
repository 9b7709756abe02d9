"""Attack a release with what is known from earlier ones."""
