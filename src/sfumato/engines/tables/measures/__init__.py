"""The risk and loss of a policy, and other figures shown with it."""
