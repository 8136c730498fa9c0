"""Request logs read on Spark."""
