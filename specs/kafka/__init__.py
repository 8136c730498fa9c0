"""Everything specific to Kafka: its message specs, protocol levels, releases and error codes."""
