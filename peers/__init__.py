"""Kafka peers on a network: version negotiation, probes and a mock broker."""
