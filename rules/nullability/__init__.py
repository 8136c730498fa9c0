"""Rules on what may be null."""
