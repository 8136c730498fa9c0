"""Rules on the life of versions and levels: added, deprecated, removed."""
