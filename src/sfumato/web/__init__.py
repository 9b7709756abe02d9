"""A local page for choosing on the frontier; listens on 127.0.0.1 only."""
