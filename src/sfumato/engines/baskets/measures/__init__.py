"""What a release keeps: items, rules, predictions, topics."""
