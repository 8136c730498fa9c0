"""Rules on tags: never reused, never moved, never in a version without a tagged field section."""
