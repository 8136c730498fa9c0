"""A message as it travels: behind its header and the length of both, and as lines of text."""
