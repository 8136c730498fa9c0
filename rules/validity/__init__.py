"""Rules on one spec file by itself."""
