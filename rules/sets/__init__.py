"""Rules on all files together: their types, names, API keys, versions and headers."""
