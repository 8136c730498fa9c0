"""Rules on the versions of messages and fields."""
