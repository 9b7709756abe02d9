"""The same few verbs, map_batches and count_groups, on one machine and on Spark."""
