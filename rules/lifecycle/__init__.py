"""Rules on the lifecycle of versions and levels: added, deprecated, removed."""
