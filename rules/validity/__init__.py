"""Rules on one spec file by itself: what it may say, and what its parts must agree on."""
