"""Rules on tags: never reused, never changed, never in a version without a tagged field section."""
