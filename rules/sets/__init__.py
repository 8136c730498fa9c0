"""Rules on the files of a protocol together."""
