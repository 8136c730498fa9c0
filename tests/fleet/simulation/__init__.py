"""Simulated fleets: logs of brokers in Kafka's format, and the result that reading them must give."""
