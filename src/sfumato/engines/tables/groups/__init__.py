"""Who hides among whom, by rows, people or histories, and which groups are too small."""
