"""Reading: from documents to tokens, features and labels."""
