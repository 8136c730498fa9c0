"""Queries live brokers for the versions that they serve."""
