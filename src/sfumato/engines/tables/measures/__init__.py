"""What a policy costs and keeps, and what is shown beside both."""
