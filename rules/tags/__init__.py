"""Rules on tags: never reused, never moved, never on a version that has no tagged section."""
