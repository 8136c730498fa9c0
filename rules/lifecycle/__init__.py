"""Rules on what KIP-35 promises: added, deprecated, removed."""
