"""Request counters in dumps of metrics: Prometheus' text formats, and the output of JMX tools."""
