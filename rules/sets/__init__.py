"""Rules on all files together."""
