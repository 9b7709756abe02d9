"""From a policy and a table to a written release."""
