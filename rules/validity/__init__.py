"""Rules on a single spec file: what it may contain, and how its parts must agree."""
