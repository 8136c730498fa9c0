"""Rules on changes of a protocol; depends only on `specs`."""
