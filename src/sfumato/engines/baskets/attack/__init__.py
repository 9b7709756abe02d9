"""Link people to published rows, as an adversary would."""
