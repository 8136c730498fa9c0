"""Kafka peers on a network: version negotiation, probes, a mock broker, and logs of requests."""
