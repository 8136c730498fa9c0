"""Kafka peers on a network: negotiated, probed, and played; depends on `specs`."""
