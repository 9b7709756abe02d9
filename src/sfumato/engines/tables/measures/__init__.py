"""What a policy costs and keeps, and what else is shown of it."""
