"""Made-up fleets: logs of brokers in Kafka's format, with the truth beside them."""
