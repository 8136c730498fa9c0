"""Counters of requests in dumps of metrics: Prometheus' text formats, and what tools print of JMX."""
