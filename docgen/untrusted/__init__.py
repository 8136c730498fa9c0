"""A build from a checkout that nobody has reviewed: which settings count, and what it may use."""
