"""One of each kind that can be added to sfumato from another package, a file each."""
